import { emptyUntilMs, type Poll, type PollStatus } from '../../poll/poll.ts';
import type { Tally } from './embedded-tables.ts';

/** What follows from a tally and the time. Every `nowMs` is UNIX time in milliseconds. */

export function statusOf({ closedByHand, deadlineMs, upcoming }: Tally, nowMs: number): PollStatus {
  if (closedByHand || (deadlineMs !== null && nowMs >= deadlineMs)) return 'closed';
  return upcoming ? 'upcoming' : 'open';
}

export function isSettled({ deadlineMs, settledDeadlineMs }: Tally, nowMs: number): boolean {
  return deadlineMs === null || nowMs < deadlineMs || settledDeadlineMs === deadlineMs;
}

/** Notes that the deadline has passed, once. @returns whether there was anything to note */
export function settle(tally: Tally, nowMs: number): boolean {
  if (isSettled(tally, nowMs)) return false;
  tally.version += 1;
  tally.settledDeadlineMs = tally.deadlineMs;
  return true;
}

/** What a tally notes of its poll's definition, so that a sweep need not read that. */
export function emptyKeeping({
  createdAtMs,
  emptyRetentionMs,
}: Poll): Pick<Tally, 'createdAtMs' | 'emptyRetentionMs'> {
  return emptyRetentionMs === undefined ? {} : { createdAtMs, emptyRetentionMs };
}

/** @returns UNIX time in milliseconds after which a sweep removes the poll, null for never */
export function goesAtMs(tally: Tally): number | null {
  const empty = tally.voters === 0 ? emptyUntilMs(tally, tally.deadlineMs) : null;
  if (empty === null || tally.expiresAtMs === null) return empty ?? tally.expiresAtMs;
  return Math.min(empty, tally.expiresAtMs);
}

/**
 * So long after its end, which is the deadline or the creator's own close, whichever came first; where it has neither, so
 * long after now.
 *
 * @returns UNIX time in milliseconds after which the poll goes, null for never
 */
export function expiryOf(tally: Tally, nowMs: number): number | null {
  const { retentionMs, closedByHand, closedAtMs, deadlineMs, expiresAtMs } = tally;
  if (retentionMs === undefined) return expiresAtMs;
  if (retentionMs === 0) return null;
  const closed = closedByHand ? (closedAtMs ?? nowMs) : Number.POSITIVE_INFINITY;
  const end = Math.min(closed, deadlineMs ?? Number.POSITIVE_INFINITY);
  return (Number.isFinite(end) ? end : nowMs) + retentionMs;
}
