import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Transaction } from 'lmdb';
import {
  fromStoredPoll,
  idOfRound,
  isPollId,
  type PollId,
  type PollRound,
  toStoredPoll,
} from '../../poll/poll.ts';
import { digestOf } from '../check-ballot.ts';
import type {
  Archive,
  ArchivedEntry,
  ArchivedPoll,
  ArchivedRecord,
  StoredState,
  VoterBallot,
} from '../engine.ts';
import { markEvent } from './embedded-event-log.ts';
import { type EmbeddedRetention, removeEntries } from './embedded-retention.ts';
import { type EmbeddedStore, keysOfPoll, placeOf, type Tally, type VoterEntry } from './embedded-tables.ts';
import { emptyKeeping } from './tally.ts';

/** Entries read or written at once, so that other requests wait briefly. */
const BATCH = 500;

/** A snapshot of LMDB stays one moment for as long as it is read; writes go on meanwhile. */
export class EmbeddedArchive implements Archive {
  readonly #store: EmbeddedStore;
  readonly #retention: EmbeddedRetention;

  constructor(store: EmbeddedStore, retention: EmbeddedRetention) {
    this.#store = store;
    this.#retention = retention;
  }

  async *readRecords(isWanted: (name: string) => boolean): AsyncIterable<ArchivedRecord> {
    for (const { key: name, value } of [...this.#store.records.getRange({})]) {
      const { text, expiresAtMs } = value;
      const isExpired = expiresAtMs !== null && expiresAtMs <= Date.now();
      if (!isExpired && isWanted(name)) yield { type: 'record', name, text, expiresAtMs };
    }
  }

  async *listPolls(): AsyncIterable<PollId> {
    yield* [...this.#store.polls.getKeys({})].filter(isPollId);
  }

  async *readPoll(id: PollId): AsyncIterable<readonly (ArchivedPoll | ArchivedEntry)[]> {
    const { root, polls, tallies } = this.#store;
    // The shared read transaction may be older than the last acknowledged write.
    root.resetReadTxn();
    const transaction = root.useReadTransaction();
    try {
      const present = tallies.get(id, { transaction });
      if (!present) return;
      const { round = 1, expiresAtMs } = present;
      for (let at = 1; at <= round; at += 1) {
        const isPresent = at === round;
        const readId = isPresent ? id : idOfRound(id, at);
        const stored = polls.get(readId, { transaction });
        const tally = tallies.get(readId, { transaction });
        if (!stored || !tally) continue;
        const {
          adminKeyHash = stored.adminKeyHash,
          viewKeyHash,
          emptyRetentionMs,
          retentionMs = null,
        } = tally;
        const closedAtMs = tally.closedByHand ? (tally.closedAtMs ?? Date.now()) : null;
        const { emptyRetentionMs: _, ...poll } = fromStoredPoll(stored.poll);
        const place = placeOf(id, tally);
        const log = this.#store.logs.get([place, ''], { transaction });
        yield [
          {
            type: isPresent ? 'poll' : 'round',
            // A later round of a poll with votes has none.
            poll: emptyRetentionMs === undefined ? poll : { ...poll, emptyRetentionMs },
            keys: { adminKeyHash, viewKeyHash },
            ...stateIn(tally),
            closed: closedAtMs ?? (tally.upcoming ? 'upcoming' : null),
            retentionMs,
            expiresAtMs,
            ...(log && { log }),
          },
        ];
        yield* inBatches(this.#entriesOf(place, tally, transaction));
      }
      const comments = this.#store.comments.getRange({ ...keysOfPoll(id), transaction });
      yield* inBatches(comments.map(({ value }) => ({ type: 'comment', ...value })));
    } finally {
      transaction.done();
    }
  }

  async addPoll(archived: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>): Promise<boolean> {
    const { polls, tallies, publicPolls, logs, write } = this.#store;
    const { poll, keys, type } = archived;
    const { id, round = 1 } = poll;
    if (polls.doesExist(id)) return false;
    const place = placeOf(id, poll);
    if (this.#retention.isRemoving(id) || this.#retention.isRemoving(place)) await this.#retention.sweep();
    // Entries of an earlier try, which are invisible without a poll.
    while (await write(() => !polls.doesExist(id) && removeEntries(this.#store, place, BATCH) === BATCH));
    let sequence: number | undefined;
    for await (const batch of entries) {
      for (const entry of batch) if (entry.type === 'ballot') sequence = entry.sequence;
      await write(() => this.#putEntries(id, place, batch));
    }
    return write(() => {
      if (polls.doesExist(id)) return false;
      const storedId = type === 'round' ? idOfRound(id, round) : id;
      polls.putSync(storedId, { poll: toStoredPoll(poll), adminKeyHash: keys.adminKeyHash });
      tallies.putSync(storedId, { ...tallyOf(archived), ...(sequence !== undefined && { sequence }) });
      if (archived.log) logs.putSync([place, ''], archived.log);
      if (type === 'round') return true;
      if (!poll.settings.isPrivate) publicPolls.putSync([poll.createdAtMs, id], true);
      markEvent(this.#store, id);
      return true;
    });
  }

  async findMissing(round: PollRound, ballotIds: readonly string[]): Promise<string[]> {
    const place = placeOf(round.id, round);
    return ballotIds.filter(ballotId => !this.#store.ballotVersions.doesExist([place, ballotId]));
  }

  async copyTo(file: string): Promise<boolean> {
    await this.#store.root.backup(file, true);
    return true;
  }

  *#entriesOf(place: PollId, tally: Tally, transaction: Transaction): Iterable<ArchivedEntry> {
    // A new range each time, because LMDB changes it.
    const range = () => ({ ...keysOfPoll(place), transaction });
    for (const { key, value } of this.#store.ballots.getRange(range()))
      yield { type: 'ballot', version: key[1], ...value };
    for (const type of ['voters', 'addresses', 'proofs'] as const) {
      const table: Database<unknown, [PollId, string]> = this.#store[type];
      for (const entries of digestsIn(table.getRange(range()), tally.hasDigests === true))
        yield {
          type,
          digests: entries.map(([digest]) => digest),
          ...this.#ballotsOf(place, entries, transaction),
        };
    }
    for (const { key, value: data } of this.#store.images.getRange(range()))
      yield { type: 'image', file: key[1], data };
  }

  /** @param entries of which those of voters may name a ballot */
  #ballotsOf(
    place: PollId,
    entries: readonly DigestEntry[],
    transaction: Transaction,
  ): { readonly ballots?: (VoterBallot | null)[] } {
    const ballots = entries.map(([, entry]) => {
      if (typeof entry !== 'object' || entry === null) return null;
      const { version, ...voter } = entry as VoterEntry;
      const ballot = this.#store.ballots.get([place, version], { transaction });
      return ballot ? { ballotId: ballot.ballotId, ...voter } : null;
    });
    return ballots.some(Boolean) ? { ballots } : {};
  }

  #putEntries(id: PollId, place: PollId, entries: readonly ArchivedEntry[]): void {
    const { ballots, ballotVersions, comments, voters, addresses, proofs, images } = this.#store;
    for (const entry of entries)
      if (entry.type === 'ballot') {
        const { type: _, version, ...ballot } = entry;
        ballots.putSync([place, version], ballot);
        ballotVersions.putSync([place, ballot.ballotId], version);
      } else if (entry.type === 'comment') {
        const { type: _, ...comment } = entry;
        comments.putSync([id, comment.writtenAtMs, comment.id], comment);
      } else if (entry.type === 'image') images.putSync([place, entry.file], entry.data);
      // Archives have no expiry of proofs, so these stay as long as the poll.
      else
        for (const [index, digest] of entry.digests.entries())
          if (entry.type === 'proofs') proofs.putSync([place, digest], Number.MAX_SAFE_INTEGER);
          else if (entry.type === 'addresses') addresses.putSync([place, digest], true);
          else voters.putSync([place, digest], this.#voterEntry(place, entry.ballots?.[index]));
  }

  /** Ballots are stored before voters. */
  #voterEntry(place: PollId, voter: VoterBallot | null | undefined): true | VoterEntry {
    if (!voter) return true;
    const { ballotId, ...rest } = voter;
    const version = this.#store.ballotVersions.get([place, ballotId]);
    return version === undefined || { version, ...rest };
  }
}

type DigestEntry = readonly [digest: string, entry: unknown];

/** What a tally and an archived poll have in common. */
function stateIn(stored: StoredState): StoredState {
  const { version, votes, voters, chatVoters, voidedVotes, withdrawn, voidRules } = stored;
  const { deadlineMs, closesInMs, settledDeadlineMs, expiresAtMs, resultsVisibility, revealedFrom } = stored;
  const counts = { version, votes, voters, chatVoters, voidedVotes, withdrawn, voidRules };
  const times = { deadlineMs, closesInMs, settledDeadlineMs, expiresAtMs };
  return { ...counts, ...times, resultsVisibility, revealedFrom };
}

function tallyOf({ type, poll, keys, closed, retentionMs, ...state }: ArchivedPoll): Tally {
  return {
    ...stateIn(state),
    votes: [...state.votes],
    upcoming: closed === 'upcoming',
    closedByHand: typeof closed === 'number',
    closedAtMs: typeof closed === 'number' ? closed : null,
    edition: poll.edition,
    round: poll.round,
    viewKeyHash: keys.viewKeyHash,
    ...(retentionMs !== null && { retentionMs }),
    // An earlier round is removed with its poll.
    ...(type === 'round' ? { expiresAtMs: null } : emptyKeeping(poll)),
    hasDigests: true,
  };
}

function* digestsIn(
  entries: Iterable<{ readonly key: [PollId, string]; readonly value: unknown }>,
  areDigests: boolean,
): Iterable<DigestEntry[]> {
  let some: DigestEntry[] = [];
  for (const { key, value } of entries)
    if (some.push([areDigests ? key[1] : digestOf(key[1]), value]) === BATCH) {
      yield some;
      some = [];
    }
  if (some.length > 0) yield some;
}

async function* inBatches(entries: Iterable<ArchivedEntry>): AsyncIterable<ArchivedEntry[]> {
  let batch: ArchivedEntry[] = [];
  for (const entry of entries)
    if (batch.push(entry) === BATCH || 'digests' in entry || 'data' in entry) {
      yield batch;
      batch = [];
      await nextTurn();
    }
  if (batch.length > 0) yield batch;
}
