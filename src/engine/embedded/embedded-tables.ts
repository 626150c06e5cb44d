import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import type { StoredBallot } from '../../poll/ballot.ts';
import type { Poll, PollId, ResultsVisibility } from '../../poll/poll.ts';
import type { Comment } from '../comments.ts';

/** A byte that UTF-8 never has. U+FFFF would not do: emoji sort above it. */
const ABOVE_ALL_STRINGS = Uint8Array.of(0xff);

/** What changes of a poll. One entry, so that one put is one consistent moment. */
export interface Tally {
  version: number;
  epoch: number;
  votes: number[];
  voters: number;
  closedByHand: boolean;
  deadlineMs: number | null;
  /** The deadline whose passing was noted; a new deadline is noted anew. */
  settledDeadlineMs: number | null;
  resultsVisibility: ResultsVisibility;
  viewKeyHash: string;
  /** UNIX time in milliseconds after which the poll is removed; null keeps it. */
  expiresAtMs: number | null;
}

export interface StoredPoll {
  readonly poll: Poll;
  readonly adminKeyHash: string;
}

export interface StoredRecord {
  readonly text: string;
  readonly expiresAtMs: number | null;
}

/** One table per idea. Keys that begin with a poll's id are removed with the poll. */
export interface EmbeddedTables {
  readonly root: RootDatabase;
  readonly polls: Database<StoredPoll, PollId>;
  readonly tallies: Database<Tally, PollId>;
  /** Creation time and id of public polls. */
  readonly publicPolls: Database<true, [createdAtMs: number, id: PollId]>;
  /** In the order of acceptance. */
  readonly ballots: Database<StoredBallot, [id: PollId, version: number]>;
  readonly ballotVersions: Database<number, [id: PollId, ballotId: string]>;
  readonly voters: Database<true, [id: PollId, voter: string]>;
  readonly addresses: Database<true, [id: PollId, address: string]>;
  readonly proofs: Database<number, [id: PollId, proofId: string]>;
  readonly comments: Database<Comment, [id: PollId, order: number, commentId: string]>;
  readonly records: Database<StoredRecord, string>;
}

/** @param directory must exist */
export function openTables(directory: string): EmbeddedTables {
  const root = open({ path: join(directory, 'tallycast.mdb'), maxDbs: 16, noSubdir: true });
  const table = <V, K extends string | (string | number)[]>(name: string): Database<V, K> =>
    root.openDB<V, K>({ name });
  return {
    root,
    polls: table('polls'),
    tallies: table('tallies'),
    publicPolls: table('public-polls'),
    ballots: table('ballots'),
    ballotVersions: table('ballot-versions'),
    voters: table('voters'),
    addresses: table('addresses'),
    proofs: table('proofs'),
    comments: table('comments'),
    records: table('records'),
  };
}

/** Removes every entry of a poll. Call inside a transaction. */
export function removeEntries(tables: EmbeddedTables, id: PollId): void {
  const stored = tables.polls.get(id);
  if (stored) tables.publicPolls.removeSync([stored.poll.createdAtMs, id]);
  tables.polls.removeSync(id);
  tables.tallies.removeSync(id);
  removeFrom(tables.ballots, id);
  removeFrom(tables.ballotVersions, id);
  removeFrom(tables.voters, id);
  removeFrom(tables.addresses, id);
  removeFrom(tables.proofs, id);
  removeFrom(tables.comments, id);
}

/** Removes polls and proofs past their time. Call inside a transaction. @param nowMs UNIX time in milliseconds */
export function removeExpiredEntries(tables: EmbeddedTables, nowMs: number): void {
  for (const { key, value } of [...tables.tallies.getRange()])
    if (value.expiresAtMs !== null && value.expiresAtMs <= nowMs) removeEntries(tables, key);
  for (const { key, value } of [...tables.proofs.getRange()])
    if (value <= nowMs) tables.proofs.removeSync(key);
}

/** Keys sort element by element: a poll's own lie between its bare id and its id with something above every string. */
export function keysOfPoll(id: PollId): { start: never; end: never } {
  return { start: [id] as never, end: [id, ABOVE_ALL_STRINGS] as never };
}

function removeFrom<K extends (string | number)[]>(table: Database<unknown, K>, id: PollId): void {
  for (const key of [...table.getKeys(keysOfPoll(id))]) table.removeSync(key);
}
