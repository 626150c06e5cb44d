import type { Ballot, BallotReceipt, StoredBallot } from '../poll/ballot.ts';
import type { NewPoll } from '../poll/create-poll.ts';
import type { PollId, Reading } from '../poll/poll.ts';
import type { PollChange } from '../poll/poll-change.ts';
import type { CommentStore } from './comment-store.ts';
import type { RecordStore } from './record-store.ts';

/**
 * Where polls and counts live. The engine is the truth; hints are only hints.
 *
 * Every method that asks the engine something MUST reject with `PollError('engine_unavailable')` when the engine
 * cannot answer, within about two seconds, and MUST NOT queue the request for later.
 */
export interface Engine {
  /** Stores a poll. MUST leave an existing poll with that id alone and resolve to false. */
  createPoll(poll: NewPoll): Promise<boolean>;

  /**
   * One consistent moment of a poll, begun after the call. MUST contain every ballot acknowledged before the call, at any
   * process. MUST note a deadline that has passed exactly once, as a change of state that raises the version and hints.
   */
  findPoll(id: PollId): Promise<Reading | undefined>;

  /** Where each of these polls stands now, for the sweep: in order, undefined for unknown polls. MUST be cheap. */
  findRevisions(ids: readonly PollId[]): Promise<(Revision | undefined)[]>;

  /** Newest public (not `priv`) polls first. MUST NOT list private polls. */
  listPublicPolls(limit: number): Promise<PollId[]>;

  /**
   * Checks, counts, remembers the voter, raises the version and hints, in one atomic step; resolves once the engine
   * holds the ballot as durably as was asked for. MUST be safe to call again with the same ballot id after any error.
   * Checks in this order: poll_not_found, repeated, poll_closed, invalid_answers, name_required, duplicate_voter,
   * duplicate_address, proof_used.
   */
  castBallot(ballot: Ballot): Promise<BallotReceipt>;

  /** All ballots of a poll, in the order of acceptance as far as the engine knows it. */
  readBallots(id: PollId): AsyncIterable<StoredBallot>;

  /** Applies a change of state, raises the version and hints. Resolves to false where there is no such poll. */
  changePoll(id: PollId, change: PollChange): Promise<boolean>;

  /** Removes a poll with every ballot, voter and comment, and hints. Resolves to false where there is no such poll. */
  removePoll(id: PollId): Promise<boolean>;

  /**
   * Called by one who saw a newer version in the same epoch than the engine now holds: the engine lost data. MUST start a
   * new epoch with a version above `seen.version`, once however many ask, and hint.
   */
  renewEpoch(id: PollId, seen: Pick<Revision, 'epoch' | 'version'>): Promise<void>;

  /** The engine's clock. @returns UNIX time in milliseconds */
  now(): Promise<number>;

  /** Resolves once every later change under this topic (a poll's id, or a name with a colon) is hinted here. */
  watch(topic: string): Promise<void>;
  unwatch(topic: string): Promise<void>;
  /** Tells every watcher of a topic, in every process, to read again. */
  hint(topic: string): Promise<void>;

  /** Hints may be late, doubled or lost. Listeners MUST NOT throw. */
  onHint(listener: (topic: string) => void): void;
  /** False when the engine was lost, true when it is back and all watched topics are watched again. */
  onAvailability(listener: (available: boolean) => void): void;

  readonly records: RecordStore;
  readonly comments: CommentStore;

  close(): Promise<void>;
}

export interface Revision {
  readonly epoch: number;
  readonly version: number;
  readonly deadlineMs: number | null;
  /** The engine's clock, UNIX time in milliseconds. */
  readonly readAtMs: number;
}
