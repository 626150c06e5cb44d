/** Percentages that add up. Pure and browser-safe: every shape and every picture takes its figures from here. */

/**
 * The share of each count in percent, by the method of the largest remainder: the shares add up to exactly 100, and more
 * votes never show a smaller share. All are 0 where there are no votes.
 *
 * Where several answers have the same claim to the last unit, the smaller count gets it (1 of 200 shows as 1 and 99, not
 * as 0 and 100), and of equal counts the one that stands first. So equal counts may differ by one unit (34, 33, 33): no
 * set of rounded figures can be equal and add up at once.
 *
 * @param votes counts, whole and not negative; exact while total × 100 × 10^decimals stays below 2^53
 * @param decimals digits behind the point, 0 to 3; the shares then add up in units of that digit
 */
export function percentages(votes: readonly number[], decimals = 0): number[] {
  const perPoint = 10 ** decimals;
  const total = votes.reduce((sum, count) => sum + count, 0);
  if (total === 0) return votes.map(() => 0);
  const all = 100 * perPoint;
  // In whole numbers throughout: a fraction such as 1/3 would decide ties by its rounding error.
  const remainders = votes.map(count => (count * all) % total);
  const units = votes.map((count, index) => (count * all - remainders[index]!) / total);
  const missing = all - units.reduce((sum, count) => sum + count, 0);
  const byClaim = votes
    .map((_, index) => index)
    .sort((a, b) => remainders[b]! - remainders[a]! || votes[a]! - votes[b]! || a - b);
  for (const index of byClaim.slice(0, missing)) units[index]! += 1;
  return units.map(count => count / perPoint);
}
