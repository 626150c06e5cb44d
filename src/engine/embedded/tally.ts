import type { Database } from 'lmdb';
import type { ChatPlatform } from '../../poll/chat-platform.ts';
import { emptyUntilMs, hasBallots, type Poll, type PollId, type PollStatus } from '../../poll/poll.ts';
import type { Tally } from './embedded-tables.ts';

/** Derived from a tally and a time. Every `nowMs` is UNIX time in milliseconds. */

export function statusOf({ closedByHand, deadlineMs, upcoming }: Tally, nowMs: number): PollStatus {
  if (closedByHand || (deadlineMs !== null && nowMs >= deadlineMs)) return 'closed';
  return upcoming ? 'upcoming' : 'open';
}

export function isSettled({ deadlineMs, settledDeadlineMs }: Tally, nowMs: number): boolean {
  return deadlineMs === null || nowMs < deadlineMs || settledDeadlineMs === deadlineMs;
}

/** Sets a passed deadline as settled, once. @returns whether the tally has changed */
export function settle(tally: Tally, nowMs: number): boolean {
  if (isSettled(tally, nowMs)) return false;
  tally.version += 1;
  tally.settledDeadlineMs = tally.deadlineMs;
  return true;
}

/** Whether a ballot was ever accepted. */
export function isVoted({ voters, voidedVotes, withdrawn }: Tally): boolean {
  return hasBallots({ totalVoters: voters, voidedVotes, withdrawn });
}

export function emptyKeeping({
  createdAtMs,
  emptyRetentionMs,
}: Pick<Poll, 'createdAtMs' | 'emptyRetentionMs'>): Pick<Tally, 'createdAtMs' | 'emptyRetentionMs'> {
  return emptyRetentionMs === undefined ? {} : { createdAtMs, emptyRetentionMs };
}

/**
 * Adds a ballot to those of its source or takes it out: `step` is 1 or -1. Those of the page have
 * no number of their own.
 */
export function countSource(tally: Tally, source: ChatPlatform | undefined, step: number): void {
  if (!source) return;
  const { [source]: counted = 0, ...others } = tally.chatVoters ?? {};
  const chatVoters = { ...others, ...(counted + step > 0 && { [source]: counted + step }) };
  tally.chatVoters = Object.keys(chatVoters).length > 0 ? chatVoters : undefined;
}

/** @returns UNIX time in milliseconds after which a sweep removes the poll, null for never */
export function removableAtMs(tally: Tally): number | null {
  const empty = !isVoted(tally) ? emptyUntilMs(tally, tally.deadlineMs) : null;
  if (empty === null || tally.expiresAtMs === null) return empty ?? tally.expiresAtMs;
  return Math.min(empty, tally.expiresAtMs);
}

/** The retention after the deadline or the close, whichever came first, else after now. @returns null for never */
export function expiryOf(tally: Tally, nowMs: number): number | null {
  const { retentionMs, closedByHand, closedAtMs, deadlineMs, expiresAtMs } = tally;
  if (retentionMs === undefined) return expiresAtMs;
  if (retentionMs === 0) return null;
  const closed = closedByHand ? (closedAtMs ?? nowMs) : Number.POSITIVE_INFINITY;
  const end = Math.min(closed, deadlineMs ?? Number.POSITIVE_INFINITY);
  return (Number.isFinite(end) ? end : nowMs) + retentionMs;
}

/**
 * Tallies of one transaction, for ballots only. `write` MUST be called before another read of a
 * tally, and before the commit.
 */
export class OpenTallies {
  readonly #table: Database<Tally, PollId>;
  readonly #open = new Map<PollId, Tally>();
  readonly #changed = new Map<PollId, Tally>();

  constructor(table: Database<Tally, PollId>) {
    this.#table = table;
  }

  get(id: PollId): Tally | undefined {
    const open = this.#open.get(id);
    if (open) return open;
    const tally = this.#table.get(id);
    if (tally) this.#open.set(id, tally);
    return tally;
  }

  put(id: PollId, tally: Tally): void {
    this.#changed.set(id, tally);
  }

  /** @throws if LMDB has no room: the whole transaction then fails */
  write(): void {
    if (this.#open.size === 0) return;
    try {
      for (const [id, tally] of this.#changed) this.#table.putSync(id, tally);
    } finally {
      this.#open.clear();
      this.#changed.clear();
    }
  }
}
