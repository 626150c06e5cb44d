import { expect, it } from 'vitest';
import { MinuteCounts } from '../../src/http/rate-limit.ts';

it('counts by name, and from one again in each minute', () => {
  let nowMs = 60_000;
  const counts = new MinuteCounts(() => nowMs);
  expect(counts.add('one')).toEqual({ current: 1, ttl: 60_000 });
  nowMs += 59_999;
  expect(counts.add('one')).toEqual({ current: 2, ttl: 1 });
  expect(counts.read('one').current).toBe(2);
  expect(counts.add('another').current).toBe(1);
  nowMs += 1;
  expect(counts.read('one').current).toBe(0);
  expect(counts.add('one')).toEqual({ current: 1, ttl: 60_000 });
});
