import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentages, percentagesOfVoters, rankAnswers } from '../../src/poll/ranking.ts';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const counts = fc.array(fc.nat({ max: 10_000_000_000 }), { minLength: 1, maxLength: 100 });
/** Few different counts, so that many are equal. */
const manyEqual = fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 100 });
const votes = fc.oneof(counts, manyEqual);

/** Every way to round each group of equal counts up or down that keeps the order, as figures in whole points. */
function everyRounding(votes: readonly number[]): number[][] {
  const total = sum(votes);
  const groups = [...new Set(votes)].sort((a, b) => b - a);
  let ways: number[][] = [[]];
  for (const count of groups) {
    const down = Math.floor((count * 100) / total);
    const figures = (count * 100) % total === 0 ? [down] : [down, down + 1];
    ways = ways.flatMap(way => figures.filter(one => (way.at(-1) ?? 100) >= one).map(one => [...way, one]));
  }
  return ways.map(way => votes.map(count => way[groups.indexOf(count)]!));
}

describe('percentages of voters', () => {
  it('are rounded one by one, because each voter may choose several answers', () => {
    expect(percentagesOfVoters([3, 2, 1, 0], 3)).toEqual([100, 67, 33, 0]);
    expect(percentagesOfVoters([1, 2], 3, 1)).toEqual([33.3, 66.7]);
    expect(percentagesOfVoters([0, 0], 0)).toEqual([0, 0]);
  });

  it('go with shares of voters, and change neither order nor winner', () => {
    const { ranked, total } = rankAnswers([1, 4, 2], { closed: true, voters: 4 });
    expect(total).toBe(7);
    expect(ranked.map(({ index, share, percent }) => [index, share, percent])).toEqual([
      [1, 1, 100],
      [2, 0.5, 50],
      [0, 0.25, 25],
    ]);
    expect(ranked.map(({ winner }) => winner)).toEqual([true, false, false]);
  });
});

describe('percentages', () => {
  it('gives the last points to the largest remainders', () => {
    expect(percentages([47_000, 16_000, 15_800, 12_000, 6_100, 3_100])).toEqual([47, 16, 16, 12, 6, 3]);
    expect(percentages([1, 199])).toEqual([1, 99]);
    expect(percentages([1, 2], 1)).toEqual([33.3, 66.7]);
  });

  it('gives equal counts equal figures, and 100 in all where that leaves a way', () => {
    expect(percentages([1_204, 1_204, 800, 500, 50])).toEqual([32, 32, 21, 13, 2]);
    expect(percentages([333, 333, 333, 1])).toEqual([33, 33, 33, 1]);
  });

  it('comes as near to 100 as equal counts allow, and below rather than above', () => {
    expect(percentages([1, 1, 1])).toEqual([33, 33, 33]);
    expect(percentages([1, 1, 1], 1)).toEqual([33.3, 33.3, 33.3]);
    expect(percentages(Array(6).fill(1))).toEqual(Array(6).fill(17));
    expect(percentages(Array(8).fill(1))).toEqual(Array(8).fill(12));
  });

  it('shows 0 everywhere before the first vote', () => {
    expect(percentages([0, 0, 0])).toEqual([0, 0, 0]);
    expect(percentages([0], 1)).toEqual([0]);
  });

  it('shows no smaller figure for more votes, the same for as many, and stays within one unit', () => {
    fc.assert(
      fc.property(votes, fc.constantFrom(0, 1), (votes, decimals) => {
        const figures = percentages(votes, decimals);
        const total = sum(votes) || 1;
        const descending = votes.map((_, at) => at).sort((a, b) => votes[b]! - votes[a]!);
        for (const [place, at] of descending.entries()) {
          expect(Math.abs(figures[at]! - (votes[at]! / total) * 100)).toBeLessThan(10 ** -decimals);
          const before = descending[place - 1];
          if (before === undefined) continue;
          if (votes[before] === votes[at]) expect(figures[before]).toBe(figures[at]);
          else expect(figures[before]).toBeGreaterThanOrEqual(figures[at]!);
        }
      }),
    );
  });

  it('adds up to exactly 100 where no two counts are equal, in whole points and in tenths', () => {
    const different = fc.uniqueArray(fc.integer({ min: 1, max: 10_000_000_000 }), {
      minLength: 1,
      maxLength: 100,
    });
    fc.assert(
      fc.property(different, votes => {
        expect(sum(percentages(votes))).toBe(100);
        expect(sum(percentages(votes, 1).map(figure => Math.round(figure * 10)))).toBe(1_000);
      }),
    );
  });

  it('is of all rounding that keep the rules the nearest to 100, and of those the nearest to the truth', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 9 }), votes => {
        fc.pre(sum(votes) > 0);
        const total = sum(votes);
        const distance = (figures: readonly number[]) => Math.abs(100 - sum(figures));
        const error = (figures: readonly number[]) =>
          sum(figures.map((figure, at) => Math.abs(figure * total - votes[at]! * 100)));
        const chosen = percentages(votes);
        const ways = everyRounding(votes);
        const nearest = Math.min(...ways.map(distance));
        expect(distance(chosen)).toBe(nearest);
        const asNear = ways.filter(way => sum(way) === sum(chosen));
        expect(error(chosen)).toBe(Math.min(...asNear.map(error)));
        if (sum(chosen) > 100) expect(ways.some(way => sum(way) === 100 - nearest)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

describe('standings', () => {
  const open = (votes: readonly number[]) => rankAnswers(votes, { closed: false });
  const closed = (votes: readonly number[]) => rankAnswers(votes, { closed: true });

  it('lets equal counts share a place and skips the next', () => {
    expect(open([5, 9, 5, 1]).rows.map(row => row.place)).toEqual([2, 1, 2, 4]);
  });

  it('ranks by votes, and equals in the order of the poll', () => {
    expect(open([3, 9, 3, 1]).ranked.map(row => row.index)).toEqual([1, 0, 2, 3]);
  });

  it('names leaders of an open poll, and winners of a closed one', () => {
    expect(open([1, 3, 2]).rows.map(row => [row.leading, row.winner])).toEqual([
      [false, false],
      [true, false],
      [false, false],
    ]);
    expect(closed([1, 3, 2]).rows.map(row => [row.leading, row.winner])).toEqual([
      [false, false],
      [false, true],
      [false, false],
    ]);
  });

  it('names all of those at the top, and says that it is a tie', () => {
    expect(open([3, 1, 3]).tie).toBe(true);
    expect(closed([3, 1, 3]).rows.map(row => row.winner)).toEqual([true, false, true]);
    expect(open([3, 1, 2]).tie).toBe(false);
  });

  it('has no top answer before the first vote', () => {
    for (const { rows, tie, total } of [open([0, 0]), closed([0, 0])]) {
      expect(rows.some(row => row.isTop || row.leading || row.winner)).toBe(false);
      expect(rows.map(row => [row.place, row.share])).toEqual([
        [1, 0],
        [1, 0],
      ]);
      expect([tie, total]).toEqual([false, 0]);
    }
  });
});
