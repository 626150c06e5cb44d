import type { Ballot, BallotReceipt, StoredBallot } from '../../poll/ballot.ts';
import type { NewPoll } from '../../poll/create-poll.ts';
import type { PollId, Reading } from '../../poll/poll.ts';
import type { PollChange } from '../../poll/poll-change.ts';
import { PollError } from '../../poll/poll-error.ts';
import type { Engine, Revision } from '../engine.ts';
import { LruMap } from '../lru-map.ts';
import { castInTransaction, isClosed } from './cast-ballot.ts';
import type { DataLock } from './data-lock.ts';
import { EmbeddedComments } from './embedded-comments.ts';
import { EmbeddedRecords } from './embedded-records.ts';
import {
  type EmbeddedTables,
  keysOfPoll,
  removeEntries,
  removeExpiredEntries,
  type StoredPoll,
  type Tally,
} from './embedded-tables.ts';

/** Runs an action inside one write transaction; resolves once it is on disk. */
export type Write = <T>(action: () => T) => Promise<T>;

const DAY_MS = 86_400_000;
const TIDY_INTERVAL_MS = 600_000;
const MAX_DEFINITIONS = 10_000;

/**
 * LMDB in this process. Transactions that are asked for while one commits are committed together, so durability costs
 * one flush for many ballots.
 */
export class EmbeddedEngine implements Engine {
  readonly records: EmbeddedRecords;
  readonly comments: EmbeddedComments;
  readonly #tables: EmbeddedTables;
  readonly #lock: DataLock;
  readonly #retentionMs: number;
  /** What never changes need not be decoded for each read. */
  readonly #definitions = new LruMap<PollId, StoredPoll>(MAX_DEFINITIONS);
  readonly #watched = new Set<string>();
  readonly #hintListeners: ((topic: string) => void)[] = [];
  readonly #tidying: NodeJS.Timeout;

  constructor(tables: EmbeddedTables, lock: DataLock, retentionDays: number) {
    this.#tables = tables;
    this.#lock = lock;
    this.#retentionMs = retentionDays * DAY_MS;
    this.records = new EmbeddedRecords(tables, this.#write);
    this.comments = new EmbeddedComments(tables, this.#write, topic => this.hint(topic));
    this.#tidying = setInterval(() => void this.tidy().catch(() => {}), TIDY_INTERVAL_MS).unref();
  }

  createPoll({ poll, keys, deadlineMs, resultsVisibility }: NewPoll): Promise<boolean> {
    return this.#write(() => {
      if (this.#tables.polls.doesExist(poll.id)) return false;
      const tally: Tally = {
        version: 1,
        epoch: 1,
        votes: poll.answers.map(() => 0),
        voters: 0,
        closedByHand: false,
        deadlineMs,
        settledDeadlineMs: null,
        resultsVisibility,
        viewKeyHash: keys.viewKeyHash,
        expiresAtMs: null,
      };
      tally.expiresAtMs = this.#expiresAtMs(tally);
      this.#tables.polls.putSync(poll.id, { poll, adminKeyHash: keys.adminKeyHash });
      this.#tables.tallies.putSync(poll.id, tally);
      if (!poll.settings.priv) this.#tables.publicPolls.putSync([poll.createdAtMs, poll.id], true);
      return true;
    });
  }

  async findPoll(id: PollId): Promise<Reading | undefined> {
    // Reads share a snapshot for a while; this one must contain every ballot acknowledged before it.
    this.#tables.root.resetReadTxn();
    const tally = this.#tables.tallies.get(id);
    const nowMs = Date.now();
    if (!tally || !deadlineToSettle(tally, nowMs)) return this.#reading(id, tally, nowMs);
    await this.#settle(id);
    return this.#reading(id, this.#tables.tallies.get(id), nowMs);
  }

  async findRevisions(ids: readonly PollId[]): Promise<(Revision | undefined)[]> {
    const readAtMs = Date.now();
    return ids.map(id => {
      const tally = this.#tables.tallies.get(id);
      return tally && { epoch: tally.epoch, version: tally.version, deadlineMs: tally.deadlineMs, readAtMs };
    });
  }

  async listPublicPolls(limit: number): Promise<PollId[]> {
    return [...this.#tables.publicPolls.getKeys({ reverse: true, limit })].map(([, id]) => id);
  }

  async castBallot(ballot: Ballot): Promise<BallotReceipt> {
    const receipt = await this.#write(
      () => castInTransaction(this.#tables, ballot, Date.now(), tally => this.#expiresAtMs(tally)),
      cast => cast.outcome === 'accepted' && this.#tell(ballot.pollId),
    );
    return receipt;
  }

  async *readBallots(id: PollId): AsyncIterable<StoredBallot> {
    for (const { value } of this.#tables.ballots.getRange(keysOfPoll(id))) yield value;
  }

  changePoll(id: PollId, change: PollChange): Promise<boolean> {
    return this.#update(id, tally => {
      if (change.closed !== undefined) tally.closedByHand = change.closed;
      if (change.deadlineMs !== undefined) tally.deadlineMs = change.deadlineMs;
      if (change.resultsVisibility !== undefined) tally.resultsVisibility = change.resultsVisibility;
      if (change.viewKeyHash !== undefined) tally.viewKeyHash = change.viewKeyHash;
      tally.expiresAtMs = this.#expiresAtMs(tally);
      return true;
    });
  }

  async removePoll(id: PollId): Promise<boolean> {
    return this.#write(
      () => {
        const existed = this.#tables.polls.doesExist(id);
        if (existed) removeEntries(this.#tables, id);
        return existed;
      },
      existed => existed && this.#tell(id),
    );
  }

  async renewEpoch(id: PollId, seen: Pick<Revision, 'epoch' | 'version'>): Promise<void> {
    await this.#update(id, tally => {
      if (tally.epoch !== seen.epoch || tally.version >= seen.version) return false;
      tally.epoch += 1;
      tally.version = seen.version;
      return true;
    });
  }

  async now(): Promise<number> {
    return Date.now();
  }

  async watch(topic: string): Promise<void> {
    this.#watched.add(topic);
  }

  async unwatch(topic: string): Promise<void> {
    this.#watched.delete(topic);
  }

  async hint(topic: string): Promise<void> {
    this.#tell(topic);
  }

  onHint(listener: (topic: string) => void): void {
    this.#hintListeners.push(listener);
  }

  /** An engine inside the process is never lost without the process. */
  onAvailability(): void {}

  async close(): Promise<void> {
    clearInterval(this.#tidying);
    await this.#tables.root.close();
    await this.#lock.release();
  }

  /** Removes what has outlived its retention: polls, records and proofs. */
  async tidy(): Promise<void> {
    const nowMs = Date.now();
    await this.#write(() => {
      removeExpiredEntries(this.#tables, nowMs);
      this.records.removeExpired(nowMs);
    });
  }

  #reading(id: PollId, tally: Tally | undefined, readAtMs: number): Reading | undefined {
    if (!tally) return undefined;
    const stored = this.#definitions.get(id) ?? this.#tables.polls.get(id);
    if (!stored) return undefined;
    this.#definitions.set(id, stored);
    const { version, epoch, votes, voters, deadlineMs, resultsVisibility, viewKeyHash } = tally;
    const status = isClosed(tally, readAtMs) ? 'closed' : 'open';
    return {
      poll: stored.poll,
      keys: { adminKeyHash: stored.adminKeyHash, viewKeyHash },
      results: {
        version,
        epoch,
        votes,
        totalVoters: voters,
        status,
        deadlineMs,
        resultsVisibility,
        readAtMs,
      },
    };
  }

  /** Notes that the deadline has passed, once, however many notice it. */
  async #settle(id: PollId): Promise<void> {
    await this.#update(id, tally => {
      if (!deadlineToSettle(tally, Date.now())) return false;
      tally.settledDeadlineMs = tally.deadlineMs;
      return true;
    });
  }

  /** @param apply changes the tally; false where there is nothing to change after all */
  async #update(id: PollId, apply: (tally: Tally) => boolean): Promise<boolean> {
    const outcome = await this.#write(
      () => {
        const tally = this.#tables.tallies.get(id);
        if (!tally) return 'unknown';
        if (!apply(tally)) return 'unchanged';
        tally.version += 1;
        this.#tables.tallies.putSync(id, tally);
        return 'changed';
      },
      result => result === 'changed' && this.#tell(id),
    );
    return outcome !== 'unknown';
  }

  /** @param committed runs as soon as others can read what was written; the promise waits until it is on disk, too */
  #write = async <T>(action: () => T, committed?: (value: T) => void): Promise<T> => {
    try {
      const value = await this.#tables.root.transaction(action);
      committed?.(value);
      await this.#tables.root.flushed;
      return value;
    } catch (cause) {
      throw new PollError('engine_unavailable', { cause });
    }
  };

  #expiresAtMs(tally: Tally): number | null {
    if (this.#retentionMs === 0) return null;
    return Math.max(tally.deadlineMs ?? 0, Date.now()) + this.#retentionMs;
  }

  #tell(topic: string): void {
    if (this.#watched.has(topic)) for (const listener of this.#hintListeners) listener(topic);
  }
}

function deadlineToSettle({ deadlineMs, settledDeadlineMs }: Tally, nowMs: number): boolean {
  return deadlineMs !== null && nowMs >= deadlineMs && settledDeadlineMs !== deadlineMs;
}
