/**
 * Votes → shares, figures, places, leader and winner. Pure and browser-safe: every shape and every picture of results
 * takes them from here, so that no two screens ever disagree.
 */

export interface RankedAnswer {
  /** Position among the answers, from 0, in the order of the poll. */
  readonly index: number;
  readonly votes: number;
  /** Its part of all votes, 0 to 1; 0 where there are none. */
  readonly share: number;
  /** The share in percent as it is shown: see `percentages`. */
  readonly percent: number;
  /** Place by votes, from 1; equal counts share a place and the next is skipped (1, 1, 3). */
  readonly place: number;
  /** Has the most votes, and at least one. In a tie all of them have. */
  readonly isTop: boolean;
  /** At the top while the poll is open: nobody has won yet. */
  readonly leading: boolean;
  /** At the top of a closed poll. */
  readonly winner: boolean;
}

export interface Ranking {
  /** In the order of the poll. */
  readonly rows: readonly RankedAnswer[];
  /** The most votes first, equals in the order of the poll. */
  readonly ranked: readonly RankedAnswer[];
  /** The sum of all votes. */
  readonly total: number;
  /** Two or more answers are at the top. */
  readonly tie: boolean;
}

export interface RankingOptions {
  readonly closed: boolean;
  /** Digits behind the point of a percentage, 0 to 3. */
  readonly decimals?: number | undefined;
}

/** @param votes counts in the order of the poll, whole and not negative */
export function rankAnswers(votes: readonly number[], { closed, decimals }: RankingOptions): Ranking {
  const total = sum(votes);
  const percents = percentages(votes, decimals);
  const descending = [...votes].sort((a, b) => b - a);
  const most = descending[0] ?? 0;
  const rows = votes.map((count, index) => {
    const isTop = count === most && count > 0;
    return {
      index,
      votes: count,
      share: total === 0 ? 0 : count / total,
      percent: percents[index]!,
      place: descending.indexOf(count) + 1,
      isTop,
      leading: isTop && !closed,
      winner: isTop && closed,
    };
  });
  return {
    rows,
    ranked: [...rows].sort((a, b) => b.votes - a.votes || a.index - b.index),
    total,
    tie: rows.filter(row => row.isTop).length > 1,
  };
}

/** Answers with one and the same count. Their figures are rounded together. */
interface Group {
  readonly votes: number;
  readonly size: number;
  /** The share in units of the last digit, rounded down. */
  readonly units: number;
  /** What the rounding down cost, as a part of the total: 0 up to, but without, the total. */
  readonly remainder: number;
}

/** Which groups are rounded up instead. */
interface Rounding {
  readonly up: readonly Group[];
  /** How many answers are rounded up. */
  readonly answers: number;
  /** The remainders of those answers, added up: the more, the nearer the figures are to the true shares. */
  readonly gain: number;
}

/**
 * The share of each count in percent, as it is shown. Every figure is its true share rounded up or down, and:
 *
 * 1. equal counts get equal figures, and more votes never a smaller one;
 * 2. the figures add up to 100. Where the first rule makes that impossible they come as near to 100 as it allows, below
 *    rather than above at the same distance: 33, 33, 33 (99) of three equal counts, and six times 17 (102) of six;
 * 3. of all ways to do so it is the one nearest to the true shares, by the largest remainders; of equal remainders that of
 *    the smaller count counts for more: 1 of 200 is 1 beside 99, not 0 beside 100.
 *
 * All are 0 where there are no votes.
 *
 * @param votes counts, whole and not negative; exact while total × 100 × 10^decimals stays below 2^53
 * @param decimals digits behind the point, 0 to 3; the figures then add up in units of that digit
 */
export function percentages(votes: readonly number[], decimals = 0): number[] {
  const perPoint = 10 ** decimals;
  const total = sum(votes);
  if (total === 0) return votes.map(() => 0);
  const groups = toGroups(votes, total, 100 * perPoint);
  const missing = 100 * perPoint - sum(groups.map(({ units, size }) => units * size));
  const up = roundFromLargestRemainder(groups, missing) ?? chooseRounding(groups, missing).up;
  const figures = new Map(groups.map(group => [group.votes, group.units + (up.includes(group) ? 1 : 0)]));
  return votes.map(count => figures.get(count)! / perPoint);
}

/** The most votes first. In whole numbers throughout: a fraction such as 1/3 would decide by its rounding error. */
function toGroups(votes: readonly number[], total: number, all: number): Group[] {
  const sizes = new Map<number, number>();
  for (const count of [...votes].sort((a, b) => b - a)) sizes.set(count, (sizes.get(count) ?? 0) + 1);
  return [...sizes].map(([count, size]) => {
    const remainder = (count * all) % total;
    return { votes: count, size, units: (count * all - remainder) / total, remainder };
  });
}

/** Almost always this comes out even, and then there is nothing nearer to the true shares. */
function roundFromLargestRemainder(groups: readonly Group[], missing: number): Group[] | undefined {
  const byRemainder = [...groups].sort((a, b) => b.remainder - a.remainder || a.votes - b.votes);
  let left = missing;
  const up = byRemainder.filter(({ size }) => {
    const fits = left > 0;
    if (fits) left -= size;
    return fits;
  });
  return left === 0 ? up : undefined;
}

/**
 * Otherwise: the best rounding for each number of answers that can be rounded up at all, then the best of those numbers. Groups that
 * stand on the same unit are rounded up from the largest on, or the larger count would show less than the smaller.
 */
function chooseRounding(groups: readonly Group[], missing: number): Rounding {
  let found = new Map<number, Rounding>([[0, { up: [], answers: 0, gain: 0 }]]);
  for (const [at, first] of groups.entries()) {
    if (groups[at - 1]?.units === first.units) continue;
    const next = new Map(found);
    const onSameUnit = groups.filter(({ units, remainder }) => units === first.units && remainder > 0);
    for (const before of found.values()) {
      let rounding = before;
      for (const group of onSameUnit) {
        rounding = roundUp(rounding, group);
        const known = next.get(rounding.answers);
        // The smaller counts come later, and win where nothing else decides.
        if (!known || rounding.gain >= known.gain) next.set(rounding.answers, rounding);
      }
    }
    found = next;
  }
  const distance = ({ answers }: Rounding): number => Math.abs(missing - answers);
  return [...found.values()].reduce((best, one) => {
    const nearer = distance(best) - distance(one) || best.answers - one.answers;
    return nearer > 0 ? one : best;
  });
}

function roundUp({ up, answers, gain }: Rounding, group: Group): Rounding {
  return {
    up: [...up, group],
    answers: answers + group.size,
    gain: gain + group.remainder * group.size,
  };
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
