import { randomInt } from 'node:crypto';
import { seededRandom } from '../../src/poll/rehearsal.ts';

/** What the random histories of a run are drawn from. Titles and failures name it; `SEED=<number>` repeats a run. */
export const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31));

/** Draws whole numbers below a limit, always the same ones for a seed. */
export function drawer(seed: number): (limit: number) => number {
  const random = seededRandom(seed);
  return limit => Math.floor(random() * limit);
}
