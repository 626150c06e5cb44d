import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../src/client/server-clock.ts';

describe('ServerClock', () => {
  it('returns local time before the first sample', () => {
    expect(new ServerClock().now(5000)).toBe(5000);
  });

  it('follows a server that is ahead', () => {
    const clock = new ServerClock();
    clock.observe(1_000_000, 940_000);
    expect(clock.now(950_000)).toBe(1_010_000);
  });

  it('keeps the highest sample, because timestamps are truncated and late but never early', () => {
    const clock = new ServerClock();
    const serverIsAheadMs = 3000;
    for (const [sentMs, tookMs] of [
      [10_900, 250],
      [12_050, 20],
      [14_500, 900],
    ] as const) {
      clock.observe(Math.floor(sentMs / 1000) * 1000, sentMs + tookMs - serverIsAheadMs);
    }
    const off = clock.now(20_000 - serverIsAheadMs) - 20_000;
    expect(off).toBeLessThanOrEqual(0);
    expect(off).toBeGreaterThanOrEqual(-70);
  });

  it('starts over when the local clock is set forward', () => {
    const clock = new ServerClock();
    clock.observe(1_000_000, 1_000_000);
    clock.observe(1_001_000, 1_061_000);
    expect(clock.now(1_061_000)).toBe(1_001_000);
  });
});
