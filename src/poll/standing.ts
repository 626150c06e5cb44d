/** Who leads. Pure and browser-safe, like the percentages beside it. */

export interface Standing {
  /** Place of each answer, counting from 1; equal counts share a place and the next one is skipped (1, 1, 3). */
  readonly ranks: readonly number[];
  /**
   * Whether each answer has the most votes. In a tie all of them have, so it takes `tie` to know a sole winner; nobody
   * leads before the first vote. While the poll is open this is who leads, and nobody has won yet.
   */
  readonly leads: readonly boolean[];
  /** Two or more answers share the lead. */
  readonly tie: boolean;
}

export function standing(votes: readonly number[]): Standing {
  const descending = [...votes].sort((a, b) => b - a);
  const most = descending[0] ?? 0;
  const places = new Map<number, number>();
  for (const [index, count] of descending.entries()) {
    if (!places.has(count)) places.set(count, index + 1);
  }
  const leads = votes.map(count => count === most && count > 0);
  return {
    ranks: votes.map(count => places.get(count)!),
    leads,
    tie: leads.filter(Boolean).length > 1,
  };
}
