import type { Casts } from '../load/sightings.ts';

/** When each version was cast, as a table that begins at the first of them. */
export function castsOf(published: readonly { version: number; castMs: number }[]): Casts {
  const versions = published.map(({ version }) => version);
  const first = Math.min(...versions);
  const times = new Float64Array(Math.max(...versions) - first + 1).fill(Number.NaN);
  for (const { version, castMs } of published) times[version - first] = castMs;
  return { first, times };
}
