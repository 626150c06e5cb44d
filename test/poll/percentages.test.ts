import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentages } from '../../src/poll/percentages.ts';
import { standing } from '../../src/poll/standing.ts';

const counts = fc.array(fc.nat({ max: 10_000_000_000 }), { minLength: 1, maxLength: 100 });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('percentages', () => {
  it('gives the last points to the largest remainders', () => {
    expect(percentages([1, 1, 1])).toEqual([34, 33, 33]);
    expect(percentages([47_000, 16_000, 15_800, 12_000, 6_100, 3_100])).toEqual([47, 16, 16, 12, 6, 3]);
    expect(percentages([1, 199])).toEqual([1, 99]);
  });

  it('shows 0 everywhere before the first vote', () => {
    expect(percentages([0, 0, 0])).toEqual([0, 0, 0]);
    expect(percentages([0], 1)).toEqual([0]);
  });

  it('takes one digit behind the point', () => {
    expect(percentages([1, 2], 1)).toEqual([33.3, 66.7]);
    expect(percentages([1, 1, 1], 1)).toEqual([33.4, 33.3, 33.3]);
  });

  it('adds up to exactly 100, in whole points and in tenths', () => {
    fc.assert(
      fc.property(counts, votes => {
        const total = sum(votes) === 0 ? 0 : 100;
        expect(sum(percentages(votes))).toBe(total);
        expect(sum(percentages(votes, 1).map(share => Math.round(share * 10)))).toBe(total * 10);
      }),
    );
  });

  it('never shows a smaller share for more votes, and stays within one unit of the true share', () => {
    fc.assert(
      fc.property(counts, votes => {
        const shares = percentages(votes);
        const total = sum(votes) || 1;
        for (const [a, count] of votes.entries()) {
          expect(Math.abs(shares[a]! - (count / total) * 100)).toBeLessThan(1);
          for (const [b, other] of votes.entries()) {
            if (count > other) expect(shares[a]).toBeGreaterThanOrEqual(shares[b]!);
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('standing', () => {
  it('lets equal counts share a place and skips the next', () => {
    expect(standing([5, 9, 5, 1]).ranks).toEqual([2, 1, 2, 4]);
  });

  it('names one leader, or all of them in a tie', () => {
    expect(standing([1, 3, 2])).toMatchObject({ leads: [false, true, false], tie: false });
    expect(standing([3, 1, 3])).toMatchObject({ leads: [true, false, true], tie: true });
  });

  it('has no leader before the first vote', () => {
    expect(standing([0, 0])).toEqual({ ranks: [1, 1], leads: [false, false], tie: false });
  });
});
