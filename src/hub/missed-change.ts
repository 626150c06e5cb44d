import type { Revision } from '../engine/polls.ts';
import type { Snapshot } from '../frame/frame.ts';
import type { Reading, Results } from '../poll/poll.ts';

/** Whether what is held of a poll is what the engine has: what no version alone tells. */

/**
 * True where the engine holds less than it held before: it lost data. Within an epoch nothing that is counted ever falls. The
 * version alone would not tell, because ballots cast since may have raised it beyond what was lost.
 */
export function wentBack({ results: now }: Reading, before: Snapshot | undefined): before is Snapshot {
  const held = before?.reading.results;
  if (held?.epoch !== now.epoch) return false;
  if (now.version < held.version || now.totalVoters < held.totalVoters) return true;
  return held.votes.some((votes, index) => votes > (now.votes[index] ?? 0));
}

/** Whether what is held is what the engine has, as far as the sweep can tell. */
export function isSame(held: Results | undefined, revision: Revision | undefined): boolean {
  if (!held || !revision) return false;
  return (
    held.version === revision.version &&
    held.epoch === revision.epoch &&
    held.deadlineMs === revision.deadlineMs &&
    !hasOtherVotes(held, revision) &&
    !passedBetween(held, revision)
  );
}

/** Data was lost, and ballots cast since have brought the same version back. */
function hasOtherVotes({ votes: held }: Results, { votes: now }: Revision): boolean {
  return now?.some((votes, index) => votes !== held[index]) ?? false;
}

/** A clock may be set, a machine may sleep: the timer for a deadline can miss it, the sweep cannot. */
function passedBetween(held: Revision, now: Revision): boolean {
  return held.deadlineMs !== null && held.readAtMs < held.deadlineMs && now.readAtMs >= held.deadlineMs;
}
