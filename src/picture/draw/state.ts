import type { Picture } from '../picture.ts';

/** What a viewer can do now, and what the figures are: every style says it in the same place. */
export type State =
  | 'none'
  | 'soon'
  | 'vote'
  | 'last'
  | 'late'
  | 'closed'
  | 'follow'
  | 'final'
  | 'empty'
  | 'secret';

/** The last seconds are counted down in large figures. */
const LAST_MS = 10_000;

/** Whether code and address are on air: they go with the close. @param nowMs server time */
export function hasCode(picture: Picture, nowMs: number, isPermanent: boolean): boolean {
  return canVote(picture, nowMs) || (isPermanent && ['none', 'soon'].includes(stateOf(picture, nowMs)));
}

/** @param nowMs server time */
export function canVote(picture: Picture, nowMs: number): boolean {
  return ['vote', 'last'].includes(stateOf(picture, nowMs));
}

/** @param nowMs server time */
export function stateOf(picture: Picture, nowMs: number): State {
  const { moment, isPoll, isOpen, isPending, deadlineMs, lateMs, totalVotes } = picture;
  // Nothing is on air, and the question says why.
  if (!isPoll) return 'none';
  if (moment === 'upcoming') return 'soon';
  if (picture.isVeiled) return 'secret';
  if (!isOpen && moment === 'hidden') return 'follow';
  if (!isOpen) return totalVotes === 0 ? 'empty' : isPending ? 'closed' : 'final';
  const leftMs = (deadlineMs ?? Number.POSITIVE_INFINITY) - nowMs;
  // Only the relay decides that a poll is closed, and its final results are a moment away.
  if (leftMs <= 0) return lateMs > 0 ? 'late' : 'closed';
  return leftMs <= LAST_MS ? 'last' : 'vote';
}
