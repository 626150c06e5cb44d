import { describe, expect, it } from 'vitest';
import { lookOf, lookQuery, withLook, withoutLook } from '../../src/picture/show-look.ts';

const query = (text: string) => new URLSearchParams(text);

describe('the URL of an overlay of a show with a look', () => {
  const LOOK = query('style=donut&accent=1e90ff&bar=4&speed=0');

  it.each([
    ['nothing but the look', 'style=donut&accent=1e90ff&bar=4&speed=0', ''],
    ['the same value in another form', 'style=donut&accent=%231E90FF&bar=4&speed=0', ''],
    ['another value', 'style=columns&accent=1e90ff&bar=4&speed=0', 'style=columns'],
    ['a default', 'accent=1e90ff&speed=0', 'style=bars&bar='],
    ['no color', 'style=donut&bar=4&speed=0', 'accent='],
    ['what no look has', 'style=donut&accent=1e90ff&bar=4&speed=0&qr=right', 'qr=right'],
    ['what has no effect', 'style=code&speed=0&accent=1e90ff', 'style=code'],
  ])('for %s contains the difference only', (_, wanted, own) => {
    const short = withoutLook(query(wanted), LOOK);
    expect(Object.fromEntries(short)).toEqual(Object.fromEntries(query(own)));
    expect(lookOf(withLook(short, LOOK)).accent).toBe(lookOf(query(wanted)).accent);
  });

  it('has no color of a look that writes it shorter', () => {
    expect(`${withoutLook(query('accent=ff8800'), query('accent=f80'))}`).toBe('');
  });

  it('is unchanged without a look', () => {
    expect(`${withoutLook(query('style=donut&qr=left'), query(''))}`).toBe('style=donut&qr=left');
  });

  it('takes its own parameters first, also empty ones', () => {
    const joined = withLook(
      query('style=ticker&accent='),
      lookQuery({ style: 'donut', accent: '#1e90ff', speed: 0 }),
    );
    expect(Object.fromEntries(joined)).toEqual({ style: 'ticker', accent: '', speed: '0' });
    expect(lookOf(joined)).toEqual({ style: 'ticker', speed: 0 });
  });
});
