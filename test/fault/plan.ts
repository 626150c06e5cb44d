import { appendFileSync } from 'node:fs';
import { seededRandom } from '../../src/poll/rehearsal.ts';

/** What one run of the suite is made of: its seed, its sizes, and where its figures go. */

export const seed = Number(process.env['SEED'] ?? 1);

/** `-- --long`: the sizes of the README's table, which take about half an hour. */
export const isLong = process.env['FAULT_LONG'] === '1';

export function size<T>(short: T, long: T): T {
  return isLong ? long : short;
}

/** Numbers from 0 to below 1 that are the same in each run with this seed. */
export type Random = () => number;

/** @param name so that each scenario has its own numbers, whichever else are run */
export function randomOf(name: string): Random {
  let state = seed;
  for (const character of name) state = (Math.imul(state, 31) + character.charCodeAt(0)) | 0;
  return seededRandom(state);
}

/** A whole number, both ends included. */
export function between(random: Random, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

export function shuffle<T>(random: Random, values: readonly T[]): T[] {
  const shuffled = [...values];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}

/** A figure for the table that a run ends with. */
export function measured(scenario: string, figures: string): void {
  const report = process.env['FAULT_REPORT'];
  if (report) appendFileSync(report, `  ${scenario.padEnd(4)} ${figures}\n`);
}
