import type { Picture } from '../picture.ts';

/** What a viewer can do now, and what the figures are: every style says it in the same place. */
export type State = 'none' | 'soon' | 'vote' | 'last' | 'closed' | 'follow' | 'final';

/** The last seconds are counted down in large figures. */
const LAST_MS = 10_000;

/** @param nowMs server time */
export function stateOf({ moment, isPoll, isOpen, deadlineMs }: Picture, nowMs: number): State {
  // Nothing is on air, and the question says why.
  if (!isPoll) return 'none';
  if (moment === 'upcoming') return 'soon';
  if (!isOpen) return moment === 'hidden' ? 'follow' : 'final';
  const leftMs = (deadlineMs ?? Number.POSITIVE_INFINITY) - nowMs;
  // Only the relay decides that a poll is closed, and its final results are a moment away.
  if (leftMs <= 0) return 'closed';
  return leftMs <= LAST_MS ? 'last' : 'vote';
}
