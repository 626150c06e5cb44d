import { describe, expect, it } from 'vitest';
import { describeTarget, parseRedisUrl } from '../../../src/engine/redis/redis-url.ts';

describe('the forms of REDIS_URL', () => {
  it.each([
    ['redis://localhost', { host: 'localhost', port: 6379, db: 0, tls: false }],
    ['redis://10.0.0.1:7000/3', { host: '10.0.0.1', port: 7000, db: 3, tls: false }],
    ['rediss://cache.example:6380', { host: 'cache.example', port: 6380, db: 0, tls: true }],
    ['redis://[::1]:7000', { host: '::1', port: 7000, db: 0, tls: false }],
    ['redis:///2', { host: '127.0.0.1', port: 6379, db: 2, tls: false }],
  ])('reads one server from %s', (url, { host, port, ...rest }) => {
    expect(parseRedisUrl(url)).toMatchObject({ kind: 'single', nodes: [{ host, port }], ...rest });
  });

  it.each([
    ['unix:///run/redis.sock', { path: '/run/redis.sock', db: 0, username: undefined }],
    ['redis:///run/redis.sock', { path: '/run/redis.sock', db: 0, username: undefined }],
    [
      'unix://app:p%40ss@/run/a%20b.sock?db=2',
      { path: '/run/a b.sock', db: 2, username: 'app', password: 'p@ss' },
    ],
  ])('reads a Unix socket from %s', (url, rest) => {
    expect(parseRedisUrl(url)).toMatchObject({ kind: 'single', tls: false, ...rest });
  });

  it('reads user and password, percent-encoded or plain', () => {
    expect(parseRedisUrl('redis://app:p%40ss%3Aword@h:1')).toMatchObject({
      username: 'app',
      password: 'p@ss:word',
    });
    expect(parseRedisUrl('redis://:secret@h:1')).toMatchObject({ username: undefined, password: 'secret' });
  });

  it('reads Sentinels, their default port, the name of the primary and a database', () => {
    expect(parseRedisUrl('redis+sentinel://a,b:5000/main/2')).toMatchObject({
      kind: 'sentinel',
      nodes: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 5000 },
      ],
      name: 'main',
      db: 2,
    });
  });

  it('reads a cluster, with TLS', () => {
    expect(parseRedisUrl('rediss+cluster://u:p@a:1,[::2]:2')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 1 },
        { host: '::2', port: 2 },
      ],
      username: 'u',
      password: 'p',
      tls: true,
    });
  });

  it.each([
    ['http://localhost', /redis:\/\//],
    ['redis://h:1?x=1', /query/],
    ['redis://a:1,b:2', /redis\+cluster/],
    ['redis+sentinel://a:1', /name of the primary/],
    ['redis+cluster://a:1/1', /no databases/],
    ['redis://h:1/one', /whole number/],
    ['redis://h:1/1/2', /whole number/],
    ['redis://h:99999', /no host:port/],
    ['redis://:%zz@h:1', /percent-encoded/],
  ])('rejects %s with a reason', (url, words) => {
    expect(() => parseRedisUrl(url)).toThrow(words);
  });

  it('never contains the password', () => {
    expect(describeTarget(parseRedisUrl('redis+cluster://u:secret@a:1,b:2'))).toBe(
      'Redis Cluster at a:1, b:2',
    );
    expect(describeTarget(parseRedisUrl('redis+sentinel://:secret@[::1]/main'))).toBe(
      'Redis "main" by the Sentinels at [::1]:26379',
    );
  });
});
