/**
 * Votes → shares, percentages, places, leader and winner, the same for every format and screen.
 * Pure, runs in browsers.
 */

export interface RankedAnswer {
  /** Position among the answers, from 0, in the order of the poll. */
  readonly index: number;
  readonly votes: number;
  /** Part of all votes, or of `voters`, 0 to 1. */
  readonly share: number;
  /** The share as shown: see `percentages` and `percentagesOfVoters`. */
  readonly percent: number;
  /** By votes, from 1; equal counts share a place and the next is skipped (1, 1, 3). */
  readonly place: number;
  /** Has the most votes, and at least one. True for several answers in a tie. */
  readonly isTop: boolean;
  /** At the top of an open poll. */
  readonly leading: boolean;
  /** At the top of a closed poll. */
  readonly winner: boolean;
}

export interface Ranking {
  /** In the order of the poll. */
  readonly rows: readonly RankedAnswer[];
  /** Most votes first, equals in the order of the poll. */
  readonly ranked: readonly RankedAnswer[];
  readonly total: number;
  /** Two or more answers at the top. */
  readonly tie: boolean;
}

export interface RankingOptions {
  readonly closed: boolean;
  /** Decimals of a percentage, 0 to 3. */
  readonly decimals?: number | undefined;
  /** Voters of a poll with several answers each: shares are parts of them, and percentages don't add up to 100. */
  readonly voters?: number | undefined;
}

/** @param votes counts in the order of the poll, whole and not negative */
export function rankAnswers(votes: readonly number[], { closed, decimals, voters }: RankingOptions): Ranking {
  const total = sum(votes);
  const whole = voters ?? total;
  const percents =
    voters === undefined ? percentages(votes, decimals) : percentagesOfVoters(votes, voters, decimals);
  const places = placesOf(votes);
  const most = Math.max(0, ...votes);
  const rows = votes.map((count, index) => {
    const isTop = count === most && count > 0;
    return {
      index,
      votes: count,
      share: whole === 0 ? 0 : count / whole,
      percent: percents[index]!,
      place: places[index]!,
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

/** The place of each answer, in the order of the poll: see `RankedAnswer.place`. */
export function placesOf(votes: readonly number[]): number[] {
  const descending = [...votes].sort((a, b) => b - a);
  return votes.map(count => descending.indexOf(count) + 1);
}

/** Answers with the same count, which are rounded together. */
interface Group {
  readonly votes: number;
  readonly size: number;
  /** The share in units of the last digit, rounded down. */
  readonly units: number;
  /** The part lost by rounding down, from 0 to below the total of votes. */
  readonly remainder: number;
}

/** A choice of groups to round up. */
interface Rounding {
  readonly up: readonly Group[];
  readonly answers: number;
  /** Sum of the remainders of those answers: the more, the closer to the true shares. */
  readonly gain: number;
}

/**
 * The percentages to show: each is the true share rounded up or down, or 0 without votes.
 *
 * 1. Equal counts get equal percentages, and more votes never get a smaller one.
 * 2. They add up to 100, or as close as rule 1 allows, rather below than above: 33, 33, 33 and six times 17.
 * 3. Among those the choice is closest to the true shares, by largest remainder; among equal
 *   remainders the smaller count is
 *    rounded up: 1 of 200 is 1 beside 99.
 *
 * @param votes whole, not negative; exact while total × 100 × 10^decimals stays below 2^53
 * @param decimals 0 to 3
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

/** How many of the voters chose each answer, rounded one by one: a voter may choose several. @param decimals 0 to 3 */
export function percentagesOfVoters(votes: readonly number[], voters: number, decimals = 0): number[] {
  const perPoint = 10 ** decimals;
  return votes.map(count => (voters === 0 ? 0 : Math.round((count * 100 * perPoint) / voters) / perPoint));
}

/** Most votes first. In whole numbers, because rounding errors of fractions would decide ties. */
function toGroups(votes: readonly number[], total: number, all: number): Group[] {
  const sizes = new Map<number, number>();
  for (const count of [...votes].sort((a, b) => b - a)) sizes.set(count, (sizes.get(count) ?? 0) + 1);
  return [...sizes].map(([count, size]) => {
    const remainder = (count * all) % total;
    return { votes: count, size, units: (count * all - remainder) / total, remainder };
  });
}

/** Works for almost all counts, and then nothing is closer to the true shares. */
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
 * Finds the best rounding for each possible number of answers to round up, then the best of those
 * numbers. Groups on the same unit are rounded up from the largest on, or a larger count would show
 * less than a smaller one.
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
        // `>=`: smaller counts are tried later, and win ties.
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
