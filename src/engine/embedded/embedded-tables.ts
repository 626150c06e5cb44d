import { appendFileSync, existsSync, statSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import type { StoredBallot } from '../../poll/ballot.ts';
import type { PollId, ResultsVisibility, StoredPoll } from '../../poll/poll.ts';
import type { Comment } from '../comments.ts';
import { closeToOthers, PRIVATE_FILE, requireSound, storeIn } from './store-file.ts';

/** What LMDB takes for its table of readers, in whole pages. */
const READERS_BYTES = 12_288;

/** Raised with every change that an older version would read wrongly. Files from before this was noted have the first one. */
const FORMAT = 1;

/** A byte that UTF-8 never has. U+FFFF would not do: emoji sort above it. */
const ABOVE_ALL_STRINGS = Uint8Array.of(0xff);

/** What changes of a poll. One entry, so that one put is one consistent moment. */
export interface Tally {
  version: number;
  votes: number[];
  voters: number;
  /** Not opened yet by its creator; absent in a poll that was made before there were such. */
  upcoming?: boolean;
  closedByHand: boolean;
  /** When it was closed by hand; absent where that was before this was noted. UNIX time in milliseconds. */
  closedAtMs?: number | null;
  deadlineMs: number | null;
  /** In place of a deadline: milliseconds after the opening. Absent where there is nothing to wait for. */
  closesInMs?: number | undefined;
  /** The deadline whose passing was noted; a new deadline is noted anew. */
  settledDeadlineMs: number | null;
  resultsVisibility: ResultsVisibility;
  viewKeyHash: string;
  /** Of a key that has taken the place of the first one, which stands beside the definition. */
  adminKeyHash?: string;
  /** For how long the poll is kept after its end, 0 for ever; absent in a poll that was made before this was noted. */
  retentionMs?: number;
  /** As in the definition, where a poll without a ballot goes sooner than others. */
  createdAtMs?: number;
  emptyRetentionMs?: number;
  /** UNIX time in milliseconds after which the poll is removed; null keeps it. */
  expiresAtMs: number | null;
  /** Came from an archive: voters, addresses and proofs are kept by their digests. */
  hasDigests?: boolean;
}

export interface StoredDefinition {
  readonly poll: StoredPoll;
  readonly adminKeyHash: string;
}

export interface StoredRecord {
  readonly text: string;
  readonly expiresAtMs: number | null;
}

/** One table per idea. Keys that begin with a poll's id are removed with the poll. */
export interface EmbeddedTables {
  /** Where its files lie. */
  readonly directory: string;
  readonly root: RootDatabase;
  /** What the files themselves are. */
  readonly about: Database<number, 'format'>;
  readonly polls: Database<StoredDefinition, PollId>;
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
  /** Polls that are gone, but not all of their entries yet. */
  readonly removals: Database<true, PollId>;
}

/**
 * @param directory must exist, and be locked, unless it is opened beside the process that has locked it
 * @throws Error (`NodeJS.ErrnoException` where there is no room)
 */
export function openTables(directory: string, beside?: 'read' | 'write' | 'copy'): EmbeddedTables {
  requireSound(storeIn(directory), beside === 'copy');
  closeToOthers(directory);
  reserveReaders(`${storeIn(directory)}-lock`);
  const root = open({
    path: storeIn(directory),
    maxDbs: 16,
    noSubdir: true,
    // Its typings do not know it.
    ...{ permissionsMode: PRIVATE_FILE },
    // With it, a commit that fails rejects a promise that nobody can hold. Transactions are gathered by ourselves.
    eventTurnBatching: false,
  });
  const table = <V, K extends string | (string | number)[]>(name: string): Database<V, K> =>
    root.openDB<V, K>({ name });
  const about = table<number, 'format'>('about');
  const format = about.get('format');
  if (format !== undefined && format !== FORMAT) {
    void root.close();
    throw new Error(
      `its files have format ${format}, and this version knows ${FORMAT}: start the version that wrote them, or export there and import here`,
    );
  }
  if (format === undefined) about.putSync('format', FORMAT);
  return {
    directory,
    root,
    about,
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
    removals: table('removals'),
  };
}

/** Keys sort element by element: a poll's own lie between its bare id and its id with something above every string. */
export function keysOfPoll(id: PollId): { start: never; end: never } {
  return { start: [id] as never, end: [id, ABOVE_ALL_STRINGS] as never };
}

/**
 * LMDB writes its table of readers through a map of the file, and the kernel ends a process that writes to a page for which
 * the disk has no room. To write what is missing of the file says so instead, and takes the room. What is there is left alone:
 * locks lie in it, and another process may be at work beside this one.
 */
function reserveReaders(path: string): void {
  const bytes = existsSync(path) ? statSync(path).size : 0;
  if (bytes < READERS_BYTES)
    appendFileSync(path, Buffer.alloc(READERS_BYTES - bytes), { mode: PRIVATE_FILE });
}
