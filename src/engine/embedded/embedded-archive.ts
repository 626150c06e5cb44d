import type { Database, Transaction } from 'lmdb';
import type { PollId } from '../../poll/poll.ts';
import { fromStoredPoll, toStoredPoll } from '../../poll/poll.ts';
import {
  type Archive,
  type ArchivedEntry,
  type ArchivedPoll,
  type ArchivedRecord,
  digestOf,
} from '../archive.ts';
import { type EmbeddedRemovals, removeEntries } from './embedded-removals.ts';
import { type EmbeddedTables, keysOfPoll, type Tally } from './embedded-tables.ts';
import { emptyKeeping } from './tally.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Entries that are read or written at once: others wait for the one thread, or for the one writer, so long. */
const BATCH = 500;

/** One snapshot of LMDB is one moment, however long it takes to read; writers go on beside it. */
export class EmbeddedArchive implements Archive {
  readonly #tables: EmbeddedTables;
  readonly #write: WriteTransaction;
  readonly #removals: EmbeddedRemovals;

  constructor(tables: EmbeddedTables, write: WriteTransaction, removals: EmbeddedRemovals) {
    this.#tables = tables;
    this.#write = write;
    this.#removals = removals;
  }

  async *readRecords(isWanted: (name: string) => boolean): AsyncIterable<ArchivedRecord> {
    for (const { key: name, value } of [...this.#tables.records.getRange({})]) {
      const { text, expiresAtMs } = value;
      const isOver = expiresAtMs !== null && expiresAtMs <= Date.now();
      if (!isOver && isWanted(name)) yield { type: 'record', name, text, expiresAtMs };
    }
  }

  async *listPolls(): AsyncIterable<PollId> {
    yield* [...this.#tables.polls.getKeys({})];
  }

  async *readPoll(id: PollId): AsyncIterable<readonly (ArchivedPoll | ArchivedEntry)[]> {
    const { root, polls, tallies } = this.#tables;
    // The one that reads share may be older than what was acknowledged last.
    root.resetReadTxn();
    const transaction = root.useReadTransaction();
    try {
      const [stored, tally] = [polls.get(id, { transaction }), tallies.get(id, { transaction })];
      if (!stored || !tally) return;
      const poll = fromStoredPoll(stored.poll);
      const { adminKeyHash = stored.adminKeyHash, viewKeyHash } = tally;
      yield [{ type: 'poll', poll, keys: { adminKeyHash, viewKeyHash }, ...stateOf(tally) }];
      for await (const entries of inBatches(this.#entriesOf(id, tally, transaction))) yield entries;
    } finally {
      transaction.done();
    }
  }

  async addPoll(archived: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>): Promise<boolean> {
    const { polls, tallies, publicPolls } = this.#tables;
    const { poll, keys } = archived;
    const { id } = poll;
    if (polls.doesExist(id)) return false;
    if (this.#removals.isUnderWay(id)) await this.#removals.sweep();
    // What a try that died has left behind: nobody sees it, as there is no poll to it.
    while (await this.#write(() => !polls.doesExist(id) && removeEntries(this.#tables, id, BATCH) === BATCH));
    for await (const batch of entries) await this.#write(() => this.#putEntries(id, batch));
    return this.#write(() => {
      if (polls.doesExist(id)) return false;
      polls.putSync(id, { poll: toStoredPoll(poll), adminKeyHash: keys.adminKeyHash });
      tallies.putSync(id, tallyOf(archived));
      if (!poll.settings.isPrivate) publicPolls.putSync([poll.createdAtMs, id], true);
      return true;
    });
  }

  async findMissing(id: PollId, ballotIds: readonly string[]): Promise<string[]> {
    return ballotIds.filter(ballotId => !this.#tables.ballotVersions.doesExist([id, ballotId]));
  }

  async copyTo(file: string): Promise<boolean> {
    await this.#tables.root.backup(file, true);
    return true;
  }

  *#entriesOf(id: PollId, tally: Tally, transaction: Transaction): Iterable<ArchivedEntry> {
    const { ballots, voters, addresses, proofs, comments } = this.#tables;
    // A fresh one each time: LMDB notes in it what is asked for.
    const range = () => ({ ...keysOfPoll(id), transaction });
    for (const { key, value } of ballots.getRange(range()))
      yield { type: 'ballot', version: key[1], ...value };
    const digests = (table: Database<unknown, [PollId, string]>) =>
      digestsIn(table.getKeys(range()), tally.hasDigests === true);
    for (const some of digests(voters)) yield { type: 'voters', digests: some };
    for (const some of digests(addresses)) yield { type: 'addresses', digests: some };
    for (const some of digests(proofs)) yield { type: 'proofs', digests: some };
    for (const { value } of comments.getRange(range())) yield { type: 'comment', ...value };
  }

  #putEntries(id: PollId, entries: readonly ArchivedEntry[]): void {
    const { ballots, ballotVersions, comments } = this.#tables;
    for (const entry of entries)
      if (entry.type === 'ballot') {
        const { type: _, version, ...ballot } = entry;
        ballots.putSync([id, version], ballot);
        ballotVersions.putSync([id, ballot.ballotId], version);
      } else if (entry.type === 'comment') {
        const { type: _, ...comment } = entry;
        comments.putSync([id, comment.writtenAtMs, comment.id], comment);
      } else for (const digest of entry.digests) this.#putDigest(entry.type, id, digest);
  }

  #putDigest(kind: 'voters' | 'addresses' | 'proofs', id: PollId, digest: string): void {
    // When a proof is worthless is in no archive: it goes with the poll.
    if (kind === 'proofs') this.#tables.proofs.putSync([id, digest], Number.MAX_SAFE_INTEGER);
    else this.#tables[kind].putSync([id, digest], true);
  }
}

function stateOf(tally: Tally): Omit<ArchivedPoll, 'type' | 'poll' | 'keys'> {
  const { version, votes, voters, deadlineMs, closesInMs, settledDeadlineMs } = tally;
  const { resultsVisibility, expiresAtMs } = tally;
  const closedAtMs = tally.closedByHand ? (tally.closedAtMs ?? Date.now()) : null;
  const closed = closedAtMs ?? (tally.upcoming ? 'upcoming' : null);
  const retentionMs = tally.retentionMs ?? null;
  return {
    ...{ version, votes, voters, closed, deadlineMs, settledDeadlineMs },
    ...(closesInMs !== undefined && { closesInMs }),
    ...{ resultsVisibility, retentionMs, expiresAtMs },
  };
}

function tallyOf(archived: ArchivedPoll): Tally {
  const { version, votes, voters, closed, deadlineMs, settledDeadlineMs } = archived;
  const { resultsVisibility, keys, retentionMs, expiresAtMs, closesInMs } = archived;
  return {
    ...{ version, votes: [...votes], voters, deadlineMs, settledDeadlineMs },
    closesInMs,
    upcoming: closed === 'upcoming',
    closedByHand: typeof closed === 'number',
    closedAtMs: typeof closed === 'number' ? closed : null,
    ...{ resultsVisibility, viewKeyHash: keys.viewKeyHash, expiresAtMs },
    ...(retentionMs !== null && { retentionMs }),
    ...emptyKeeping(archived.poll),
    hasDigests: true,
  };
}

function* digestsIn(keys: Iterable<[PollId, string]>, areDigests: boolean): Iterable<string[]> {
  let some: string[] = [];
  for (const [, id] of keys)
    if (some.push(areDigests ? id : digestOf(id)) === BATCH) {
      yield some;
      some = [];
    }
  if (some.length > 0) yield some;
}

/** With a turn of the event loop for others after each. */
async function* inBatches(entries: Iterable<ArchivedEntry>): AsyncIterable<ArchivedEntry[]> {
  let batch: ArchivedEntry[] = [];
  for (const entry of entries)
    if (batch.push(entry) === BATCH || 'digests' in entry) {
      yield batch;
      batch = [];
      await new Promise(setImmediate);
    }
  if (batch.length > 0) yield batch;
}
