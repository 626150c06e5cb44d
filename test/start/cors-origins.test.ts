import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/start/config.ts';

describe('CORS_ORIGINS', () => {
  it.each([
    [undefined, ['*']],
    ['*', ['*']],
    ['https://show.example', ['https://show.example']],
    ['HTTPS://Show.Example:443/, http://localhost:5173', ['https://show.example', 'http://localhost:5173']],
  ])('%s means %j', (value, origins) => {
    expect(readConfig({ CORS_ORIGINS: value }).CORS_ORIGINS).toEqual(origins);
  });

  it.each([
    'show.example',
    'https://show.example/page',
    'https://*.example/x',
    'null',
    'ftp://a',
    'https://',
  ])('of %s stops the start and says what to write', value => {
    expect(() => readConfig({ CORS_ORIGINS: value })).toThrow(
      'CORS_ORIGINS must be * or a list of origins like https://show.example',
    );
  });
});
