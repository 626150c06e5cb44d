import { setTimeout as pause } from 'node:timers/promises';
import type { Ballot, BallotReceipt, StoredBallot } from '../../poll/ballot.ts';
import type { NewPoll, Poll, PollId, Reading, Results } from '../../poll/poll.ts';
import { fromStoredPoll, toStoredPoll } from '../../poll/poll.ts';
import { endAfter, type PollChange } from '../../poll/poll-change.ts';
import { DefinitionCache } from '../definition-cache.ts';
import type { Polls, Revision } from '../polls.ts';
import { castInTransaction } from './cast-ballot.ts';
import type { EmbeddedHints } from './embedded-hints.ts';
import type { EmbeddedRemovals } from './embedded-removals.ts';
import { type EmbeddedTables, keysOfPoll, type Tally } from './embedded-tables.ts';
import type { OpenTallies } from './open-tallies.ts';
import { emptyKeeping, expiryOf, isSettled, settle, statusOf } from './tally.ts';
import type { WriteTransaction } from './write-transaction.ts';

const DAY_MS = 86_400_000;
const DEFAULT_RETENTION_MS = 365 * DAY_MS;
/** Whoever creates a poll anew right after it was removed waits for its last entries so long. */
const REMOVAL_PATIENCE_MS = 500;

export interface EmbeddedPollsOptions {
  readonly tables: EmbeddedTables;
  readonly openTallies: OpenTallies;
  readonly write: WriteTransaction;
  readonly hints: EmbeddedHints;
  readonly removals: EmbeddedRemovals;
  /** 0 keeps polls for ever. Left out, new polls are kept for a year, and a change leaves a poll's own. */
  readonly retentionDays: number | undefined;
}

interface Definition {
  readonly poll: Poll;
  readonly adminKeyHash: string;
}

export class EmbeddedPolls implements Polls {
  readonly #tables: EmbeddedTables;
  readonly #openTallies: OpenTallies;
  readonly #write: WriteTransaction;
  readonly #hints: EmbeddedHints;
  readonly #removals: EmbeddedRemovals;
  readonly #retentionMs: number | undefined;
  /** What never changes need not be decoded for each read. */
  readonly #definitions = new DefinitionCache<Definition>();

  constructor({ tables, openTallies, write, hints, removals, retentionDays }: EmbeddedPollsOptions) {
    this.#tables = tables;
    this.#openTallies = openTallies;
    this.#write = write;
    this.#hints = hints;
    this.#removals = removals;
    this.#retentionMs = retentionDays === undefined ? undefined : retentionDays * DAY_MS;
  }

  async create(created: NewPoll): Promise<boolean> {
    const { poll, keys, deadlineMs, closesInMs, resultsVisibility, upcoming = false } = created;
    if (this.#removals.isUnderWay(poll.id))
      await Promise.race([this.#removals.sweep(), pause(REMOVAL_PATIENCE_MS, undefined, { ref: false })]);
    return this.#write(() => {
      // Its voters would be taken for those of the new one. Whoever creates is told to come again.
      if (this.#removals.isUnderWay(poll.id)) throw new Error('What had this id is still being removed');
      if (this.#tables.polls.doesExist(poll.id)) return false;
      const tally: Tally = {
        version: 1,
        votes: poll.answers.map(() => 0),
        voters: 0,
        upcoming,
        closedByHand: false,
        deadlineMs,
        closesInMs,
        settledDeadlineMs: null,
        resultsVisibility,
        viewKeyHash: keys.viewKeyHash,
        retentionMs: this.#retentionMs ?? DEFAULT_RETENTION_MS,
        expiresAtMs: null,
        ...emptyKeeping(poll),
      };
      tally.expiresAtMs = expiryOf(tally, Date.now());
      this.#tables.polls.putSync(poll.id, { poll: toStoredPoll(poll), adminKeyHash: keys.adminKeyHash });
      this.#tables.tallies.putSync(poll.id, tally);
      if (!poll.settings.isPrivate) this.#tables.publicPolls.putSync([poll.createdAtMs, poll.id], true);
      return true;
    });
  }

  async find(id: PollId): Promise<Reading | undefined> {
    // Reads share a snapshot for a while; this one must contain every ballot acknowledged before it.
    this.#tables.root.resetReadTxn();
    const tally = this.#tables.tallies.get(id);
    const nowMs = Date.now();
    if (!tally || isSettled(tally, nowMs)) return this.#reading(id, tally, nowMs);
    try {
      await this.#update(id, () => false);
      return this.#reading(id, this.#tables.tallies.get(id), nowMs);
    } catch {
      // A full disk cannot note that the deadline has passed. It has all the same, and this is how it will be noted.
      settle(tally, nowMs);
      return this.#reading(id, tally, nowMs);
    }
  }

  async findRevisions(ids: readonly PollId[]): Promise<(Revision | undefined)[]> {
    const readAtMs = Date.now();
    return ids.map(id => {
      const tally = this.#tables.tallies.get(id);
      if (!tally) return undefined;
      settle(tally, readAtMs);
      return resultsOf(tally, readAtMs);
    });
  }

  async listPublic(limit: number): Promise<PollId[]> {
    return [...this.#tables.publicPolls.getKeys({ reverse: true, limit })].map(([, id]) => id);
  }

  cast(ballot: Ballot): Promise<BallotReceipt> {
    return this.#write(
      () =>
        castInTransaction(
          this.#tables,
          this.#openTallies,
          this.#definition(ballot.pollId)?.poll,
          ballot,
          Date.now(),
          this.#retentionMs,
        ),
      cast => cast.outcome === 'accepted' && this.#hints.tellOfBallot(ballot.pollId),
      'ballot',
    );
  }

  async *readBallots(id: PollId): AsyncIterable<StoredBallot> {
    // Those of a poll that was removed are there for a while.
    if (!this.#tables.polls.doesExist(id)) return;
    for (const { value } of this.#tables.ballots.getRange(keysOfPoll(id))) yield value;
  }

  change(id: PollId, change: PollChange): Promise<boolean> {
    return this.#update(id, tally => {
      const nowMs = Date.now();
      if (change.closed !== undefined) {
        if (change.closed && !tally.closedByHand) tally.closedAtMs = nowMs;
        tally.closedByHand = change.closed;
        tally.upcoming = false;
      }
      const { deadlineMs, closesInMs } = endAfter(tally, change, nowMs);
      tally.deadlineMs = deadlineMs;
      tally.closesInMs = closesInMs;
      // A deadline that lies in the past already is noted by this very change.
      if (!isSettled(tally, nowMs)) tally.settledDeadlineMs = tally.deadlineMs;
      if (change.resultsVisibility !== undefined) tally.resultsVisibility = change.resultsVisibility;
      if (change.viewKeyHash !== undefined) tally.viewKeyHash = change.viewKeyHash;
      if (change.adminKeyHash !== undefined) tally.adminKeyHash = change.adminKeyHash;
      if (this.#retentionMs !== undefined) tally.retentionMs = this.#retentionMs;
      tally.expiresAtMs = expiryOf(tally, nowMs);
      return true;
    });
  }

  async remove(id: PollId): Promise<boolean> {
    const existed = await this.#write(
      () => this.#removals.begin(id),
      begun => begun && this.#hints.tell(id),
    );
    this.#definitions.delete(id);
    if (existed) this.#removals.sweepSoon();
    return existed;
  }

  async now(): Promise<number> {
    return Date.now();
  }

  #reading(id: PollId, tally: Tally | undefined, readAtMs: number): Reading | undefined {
    if (!tally) return undefined;
    const stored = this.#definition(id);
    if (!stored) return undefined;
    return {
      poll: stored.poll,
      keys: { adminKeyHash: tally.adminKeyHash ?? stored.adminKeyHash, viewKeyHash: tally.viewKeyHash },
      hintedAtMs: this.#hints.ballotToldAtMs(id),
      results: resultsOf(tally, readAtMs),
    };
  }

  #definition(id: PollId): Definition | undefined {
    const known = this.#definitions.get(id);
    if (known) return known;
    const stored = this.#tables.polls.get(id);
    if (!stored) return undefined;
    const definition = { ...stored, poll: fromStoredPoll(stored.poll) };
    this.#definitions.set(id, definition);
    return definition;
  }

  /** @param apply changes the tally; false where there is nothing to change after all */
  async #update(id: PollId, apply: (tally: Tally) => boolean): Promise<boolean> {
    const outcome = await this.#write(
      () => {
        const tally = this.#tables.tallies.get(id);
        if (!tally) return 'unknown';
        // First, and with a version of its own, which whoever read meanwhile has seen.
        const settled = settle(tally, Date.now());
        const changed = apply(tally);
        if (!settled && !changed) return 'unchanged';
        if (changed) tally.version += 1;
        this.#tables.tallies.putSync(id, tally);
        return 'changed';
      },
      result => result === 'changed' && this.#hints.tell(id),
    );
    return outcome !== 'unknown';
  }
}

function resultsOf(tally: Tally, readAtMs: number): Results {
  const { version, votes, voters, deadlineMs, closesInMs, resultsVisibility } = tally;
  const status = statusOf(tally, readAtMs);
  return { version, votes, totalVoters: voters, status, deadlineMs, closesInMs, resultsVisibility, readAtMs };
}
