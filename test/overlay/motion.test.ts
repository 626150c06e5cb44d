import { describe, expect, it } from 'vitest';
import {
  change,
  delaysOf,
  entrance,
  entranceMs,
  type Motion,
  reveal,
  times,
} from '../../src/overlay/browser/drawing/motion.ts';

/** Rows of a picture with these votes, in this order. */
function rowsOf(...votes: number[]) {
  const most = Math.max(...votes);
  return votes.map(count => ({ votes: count, leads: count > 0 && count === most }));
}

const lengthOf = (motion: Motion, rows: ReturnType<typeof rowsOf>) =>
  motion.kind === 'enter' ? entranceMs(motion, rows, 1) : 0;

describe('the reveal', () => {
  it('pauses before the winner once the second place is complete', () => {
    expect(delaysOf(reveal(1, 1200), rowsOf(9, 5, 2))).toEqual([320 + times.grow + 1200, 320, 0]);
    expect(lengthOf(reveal(1, 1200), rowsOf(9, 5, 2))).toBe(320 + times.grow + 1200 + times.grow);
  });

  it('goes by votes where the rows are in the order of the poll', () => {
    expect(delaysOf(reveal(1, 0), rowsOf(2, 9, 5))).toEqual([0, 320 + times.grow, 320]);
  });

  it('shows all that share the first place together', () => {
    const [one, other, last] = delaysOf(reveal(1, 3000), rowsOf(7, 7, 1));
    expect([one, other, last]).toEqual([times.grow + 3000, times.grow + 3000, 0]);
  });

  it.each([[[4]], [[4, 4]], [[0, 0, 0]]])('has no pause where nothing precedes a winner: %j', votes => {
    const rows = rowsOf(...votes);
    expect(lengthOf(reveal(1, 9000), rows)).toBeLessThan(2000);
  });

  it.each([2, 5, 20, 100])('completes the second place of %i within two seconds', count => {
    const rows = rowsOf(...Array.from({ length: count }, (_, at) => count - at));
    const delays = delaysOf(reveal(1, 5000), rows);
    expect(delays[1]! + times.grow).toBeLessThanOrEqual(2000);
    expect(delays[0]! - delays[1]! - times.grow).toBe(5000);
    expect([...delays].sort((a, b) => b - a)).toEqual(delays);
  });

  it('moves faster at a higher speed, with the same pause', () => {
    expect(delaysOf(reveal(2, 1200), rowsOf(9, 5, 2))).toEqual([160 + times.grow / 2 + 1200, 160, 0]);
  });

  it('does not exist at speed 0, nor do other entrances', () => {
    expect([entrance(0).kind, change(0).kind]).toEqual(['still', 'still']);
    expect(delaysOf(entrance(0), rowsOf(3, 2))).toEqual([0, 0]);
  });
});
