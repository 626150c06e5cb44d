import type { Revision } from './polls.ts';

/** With whether the deadline has passed, because the version grows only when somebody reads the poll after it. */
export function revisionMark(revision: Revision | undefined): string | undefined {
  if (!revision) return undefined;
  const { epoch, version, deadlineMs, readAtMs } = revision;
  return `${epoch} ${version} ${deadlineMs !== null && readAtMs >= deadlineMs}`;
}
