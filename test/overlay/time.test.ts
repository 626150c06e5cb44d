import { describe, expect, it } from 'vitest';
import { Ending } from '../../src/overlay/picture/ending.ts';
import { ServerClock } from '../../src/overlay/picture/server-clock.ts';
import { knownResults } from './known.ts';

describe('ServerClock', () => {
  it('is the local clock until a message came', () => {
    expect(new ServerClock().now(5000)).toBe(5000);
  });

  it('follows a server that is ahead', () => {
    const clock = new ServerClock();
    clock.observe(1000, 940_000);
    expect(clock.now(950_000)).toBe(1_010_000);
  });

  it('gets better with every message: a timestamp is cut to seconds and comes late, never early', () => {
    const clock = new ServerClock();
    const serverIsAheadMs = 3000;
    for (const [sentMs, tookMs] of [
      [10_900, 250],
      [12_050, 20],
      [14_500, 900],
    ] as const) {
      clock.observe(Math.floor(sentMs / 1000), sentMs + tookMs - serverIsAheadMs);
    }
    const off = clock.now(20_000 - serverIsAheadMs) - 20_000;
    expect(off).toBeLessThanOrEqual(0);
    expect(off).toBeGreaterThanOrEqual(-70);
  });

  it('begins anew when the local clock is set forward', () => {
    const clock = new ServerClock();
    clock.observe(1000, 1_000_000);
    clock.observe(1001, 1_061_000);
    expect(clock.now(1_061_000)).toBe(1_001_000);
  });
});

describe('Ending', () => {
  const closed = { status: 'closed' } as const;

  it('is nothing while a poll is open', () => {
    expect(new Ending().observe(knownResults([1]), 5000)).toBeUndefined();
  });

  it('is the moment at which a poll was first seen closed', () => {
    const ending = new Ending();
    ending.observe(knownResults([1], closed), 5000);
    expect(ending.observe(knownResults([1], closed), 9000)).toBe(5000);
  });

  it('is the deadline for a page that is loaded later', () => {
    const results = knownResults([1], { ...closed, deadline: new Date(2000).toISOString() });
    expect(new Ending().observe(results, 9000)).toBe(2000);
  });

  it('begins anew when a poll is opened again, and for another poll', () => {
    const ending = new Ending();
    ending.observe(knownResults([1], closed), 1000);
    ending.observe(knownResults([1]), 2000);
    expect(ending.observe(knownResults([1], closed), 3000)).toBe(3000);
    expect(ending.observe(knownResults([1], { ...closed, id: 'p2' }), 4000)).toBe(4000);
  });
});
