import type { Revision } from './polls.ts';

/** Equal for revisions that differ in the time of reading at most. */
export function revisionMark(revision: Revision | undefined): string | undefined {
  if (!revision) return undefined;
  return JSON.stringify({ ...revision, readAtMs: 0 });
}
