import { hash } from 'node:crypto';
import type { StoredBallot } from '../poll/ballot.ts';
import type { Poll, PollId, PollKeys, ResultsVisibility } from '../poll/poll.ts';
import type { Comment } from './comments.ts';

/**
 * All that an engine holds, in a form that every engine gives and takes: for backups, and for a way from one engine to another.
 * Voters, addresses and proofs are digests in it, whatever the engine keeps: who has voted can be known again, and not told.
 */
export interface Archive {
  /** Every record whose name is wanted. MUST NOT read the texts of others, of which there may be very many. */
  readRecords(isWanted: (name: string) => boolean): AsyncIterable<ArchivedRecord>;

  /** Ids of all polls. Those that come or go meanwhile may be missing, or among them. */
  listPolls(): AsyncIterable<PollId>;

  /**
   * A poll at one moment, while ballots come: itself first, and then all under it, some hundreds at a time. MUST let others
   * go on meanwhile. Yields nothing where there is no such poll.
   */
  readPoll(id: PollId): AsyncIterable<readonly (ArchivedPoll | ArchivedEntry)[]>;

  /**
   * Adds a poll with all that has been counted.
   * MUST NOT show any of it before it is complete, and MUST NOT fail where an earlier try died in the middle. Resolves to false,
   * and changes nothing, where there is a poll of that id.
   */
  addPoll(poll: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>): Promise<boolean>;

  /** Which of some hundreds of ballots a poll does not hold, by their ids. */
  findMissing(id: PollId, ballotIds: readonly string[]): Promise<string[]>;

  /** Writes the engine's own copy of everything at one moment to a new file, and resolves to false where it has no such copy. */
  copyTo(file: string): Promise<boolean>;
}

/** Data of an older format, which this version converts in place. No server may run meanwhile. */
export interface Migration {
  /** What there is, for a backup. Only reads. */
  readonly archive: Archive;
  /** Safe to do again after any error. Resolves to the number of polls that were converted. */
  convert(): Promise<number>;
  close(): Promise<void>;
}

export interface ArchivedRecord {
  readonly type: 'record';
  readonly name: string;
  readonly text: string;
  /** UNIX time in milliseconds, null for never, as in all that follows. */
  readonly expiresAtMs: number | null;
}

export interface ArchivedPoll {
  readonly type: 'poll';
  readonly poll: Poll;
  readonly keys: PollKeys;
  readonly version: number;
  /** In the order of `poll.answers`. */
  readonly votes: readonly number[];
  readonly voters: number;
  /** When its creator closed it; `upcoming` until it is opened. */
  readonly closed: number | 'upcoming' | null;
  readonly deadlineMs: number | null;
  /** Milliseconds after the opening, in place of a deadline. */
  readonly closesInMs?: number | undefined;
  /** The deadline whose passing has been noted. */
  readonly settledDeadlineMs: number | null;
  readonly resultsVisibility: ResultsVisibility;
  /** Milliseconds to keep the poll after its end, 0 for ever; null in a poll that was made before polls had their own. */
  readonly retentionMs: number | null;
  readonly expiresAtMs: number | null;
}

/** Something under a poll: a ballot in the order of acceptance, a comment, or what has been used up. */
export type ArchivedEntry = ArchivedBallot | ArchivedComment | ArchivedDigests;

export interface ArchivedBallot extends StoredBallot {
  readonly type: 'ballot';
  /** The poll's version after it. */
  readonly version: number;
}

export interface ArchivedComment extends Comment {
  readonly type: 'comment';
}

export interface ArchivedDigests {
  readonly type: 'voters' | 'addresses' | 'proofs';
  /** As `digestOf` makes them, in no order that tells anything. */
  readonly digests: readonly string[];
}

/** Name of the embedded engine's file in its folder, which `copyTo` writes a copy of. */
export const STORE_FILE = 'tallycast.mdb';

const DIGEST_CHARACTERS = 16;

/** The first 12 bytes of SHA-256, as base64url. */
export function digestOf(id: string): string {
  return hash('sha256', id.toWellFormed(), 'base64url').slice(0, DIGEST_CHARACTERS);
}
