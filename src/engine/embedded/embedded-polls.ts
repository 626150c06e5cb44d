import type { Ballot, BallotReceipt, StoredBallot } from '../../poll/ballot.ts';
import type { NewPoll } from '../../poll/create-poll.ts';
import type { PollId, Reading } from '../../poll/poll.ts';
import type { PollChange } from '../../poll/poll-change.ts';
import { LruMap } from '../lru-map.ts';
import type { Polls, Revision, Sighting } from '../polls.ts';
import { castInTransaction, isClosed } from './cast-ballot.ts';
import type { EmbeddedHints } from './embedded-hints.ts';
import {
  type EmbeddedTables,
  keysOfPoll,
  removeEntries,
  type StoredPoll,
  type Tally,
} from './embedded-tables.ts';
import type { WriteTransaction } from './write-transaction.ts';

const MAX_DEFINITIONS = 10_000;

export class EmbeddedPolls implements Polls {
  readonly #tables: EmbeddedTables;
  readonly #write: WriteTransaction;
  readonly #hints: EmbeddedHints;
  readonly #retentionMs: number;
  /** What never changes need not be decoded for each read. */
  readonly #definitions = new LruMap<PollId, StoredPoll>(MAX_DEFINITIONS);

  /** @param retentionMs 0 keeps polls for ever */
  constructor(tables: EmbeddedTables, write: WriteTransaction, hints: EmbeddedHints, retentionMs: number) {
    this.#tables = tables;
    this.#write = write;
    this.#hints = hints;
    this.#retentionMs = retentionMs;
  }

  create({ poll, keys, deadlineMs, resultsVisibility }: NewPoll): Promise<boolean> {
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

  async find(id: PollId): Promise<Reading | undefined> {
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

  async listPublic(limit: number): Promise<PollId[]> {
    return [...this.#tables.publicPolls.getKeys({ reverse: true, limit })].map(([, id]) => id);
  }

  async cast(ballot: Ballot): Promise<BallotReceipt> {
    const receipt = await this.#write(
      () => castInTransaction(this.#tables, ballot, Date.now(), tally => this.#expiresAtMs(tally)),
      cast => cast.outcome === 'accepted' && this.#hints.tell(ballot.pollId),
    );
    return receipt;
  }

  async *readBallots(id: PollId): AsyncIterable<StoredBallot> {
    for (const { value } of this.#tables.ballots.getRange(keysOfPoll(id))) yield value;
  }

  change(id: PollId, change: PollChange): Promise<boolean> {
    return this.#update(id, tally => {
      if (change.closed !== undefined) tally.closedByHand = change.closed;
      if (change.deadlineMs !== undefined) tally.deadlineMs = change.deadlineMs;
      if (change.resultsVisibility !== undefined) tally.resultsVisibility = change.resultsVisibility;
      if (change.viewKeyHash !== undefined) tally.viewKeyHash = change.viewKeyHash;
      tally.expiresAtMs = this.#expiresAtMs(tally);
      return true;
    });
  }

  async remove(id: PollId): Promise<boolean> {
    return this.#write(
      () => {
        const existed = this.#tables.polls.doesExist(id);
        if (existed) removeEntries(this.#tables, id);
        return existed;
      },
      existed => existed && this.#hints.tell(id),
    );
  }

  async renewEpoch(id: PollId, seen: Sighting): Promise<void> {
    await this.#update(id, tally => {
      if (tally.epoch !== seen.epoch || holds(tally, seen)) return false;
      tally.epoch += 1;
      tally.version = Math.max(seen.version, tally.version);
      return true;
    });
  }

  async now(): Promise<number> {
    return Date.now();
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
      result => result === 'changed' && this.#hints.tell(id),
    );
    return outcome !== 'unknown';
  }

  #expiresAtMs(tally: Tally): number | null {
    if (this.#retentionMs === 0) return null;
    return Math.max(tally.deadlineMs ?? 0, Date.now()) + this.#retentionMs;
  }
}

function deadlineToSettle({ deadlineMs, settledDeadlineMs }: Tally, nowMs: number): boolean {
  return deadlineMs !== null && nowMs >= deadlineMs && settledDeadlineMs !== deadlineMs;
}

/** Whether nothing is missing of what was seen. */
function holds(tally: Tally, { version, votes = [], totalVoters = 0 }: Sighting): boolean {
  const holdsVotes = votes.every((count, index) => count <= (tally.votes[index] ?? 0));
  return tally.version >= version && tally.voters >= totalVoters && holdsVotes;
}
