import { closest, distance } from 'fastest-levenshtein';
import type { Issue } from '../poll/poll-error.ts';

/** Shorter names are those of cache busters. */
const SHORTEST = 3;
/** From this length on, two letters may differ. */
const LONG = 6;

/** Finds the parameters of a query that are almost a known one, with the one that is meant. */
export function misspelledParameters(query: object, known: readonly string[]): Issue[] {
  return Object.keys(query)
    .filter(name => name.length >= SHORTEST && !known.includes(name))
    .map(name => ({ name, meant: closest(name.toLowerCase(), known) }))
    .filter(({ name, meant }) => distance(name.toLowerCase(), meant) <= (name.length < LONG ? 1 : 2))
    .map(({ name, meant }) => ({ path: name, message: `is unknown. Did you mean ${meant}?` }));
}
