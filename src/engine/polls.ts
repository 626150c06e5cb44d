import type { Ballot, BallotReceipt, StoredBallot } from '../poll/ballot.ts';
import type { NewPoll, PollId, Reading, Results } from '../poll/poll.ts';
import type { PollChange } from '../poll/poll-change.ts';

/**
 * Polls with their counts and ballots. A poll without a ballot MUST be removed once `emptyUntilMs` has passed, and MUST be kept
 * as any other from its first ballot on. To hint means `hints.publish` under the poll's id.
 */
export interface Polls {
  /** Stores a poll. MUST leave an existing poll with that id alone and resolve to false. */
  create(poll: NewPoll): Promise<boolean>;

  /**
   * One consistent moment of a poll, begun after the call. MUST contain every ballot acknowledged before the call, at any
   * process. MUST note a deadline that has passed exactly once, as a change of state that raises the version and hints.
   */
  find(id: PollId): Promise<Reading | undefined>;

  /** Where each of these polls stands now, for the sweep: in order, undefined for unknown polls. MUST be cheap. */
  findRevisions(ids: readonly PollId[]): Promise<(Revision | undefined)[]>;

  /** Newest public (not `priv`) polls first. MUST NOT list private polls. */
  listPublic(limit: number): Promise<PollId[]>;

  /**
   * Checks, counts, remembers the voter, raises the version and hints, in one atomic step, unless another ballot of the poll
   * has hinted within `HINT_WINDOW_MS`: then it MUST NOT, and every other change still does. Resolves once the engine holds the ballot as durably as was asked for. MUST be safe to call again with the same ballot id after any error.
   * Checks in this order: poll_not_found, repeated, poll_closed, poll_not_open, invalid_answers, name_required,
   * duplicate_voter, duplicate_address, proof_used. MUST NOT leave a trace of a refused ballot.
   */
  cast(ballot: Ballot): Promise<BallotReceipt>;

  /** All ballots of a poll, in the order of acceptance as far as the engine knows it. */
  readBallots(id: PollId): AsyncIterable<StoredBallot>;

  /** Applies a change of state, raises the version and hints. Resolves to false where there is no such poll. */
  change(id: PollId, change: PollChange): Promise<boolean>;

  /** Removes a poll with every ballot, voter and comment, and hints. Resolves to false where there is no such poll. */
  remove(id: PollId): Promise<boolean>;

  /** The engine's clock. @returns UNIX time in milliseconds */
  now(): Promise<number>;
}

/** Results whose votes are undefined where they cost a read. A version alone is no proof: after a loss it may come back with other counts. */
export type Revision = Omit<Results, 'votes'> & Partial<Pick<Results, 'votes'>>;
