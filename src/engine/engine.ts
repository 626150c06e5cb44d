import type { Ballot, BallotReceipt } from '../poll/ballot.ts';
import type { Archive } from './archive.ts';
import type { Comments } from './comments.ts';
import type { Hints } from './hints.ts';
import type { Polls } from './polls.ts';
import type { Records } from './records.ts';

/**
 * Where polls and counts live: five small ports, each of which can be implemented from its own file. The engine is the
 * truth, hints are only hints.
 *
 * Every method of every port that asks the engine something MUST reject with `PollError('engine_unavailable')` when the
 * engine cannot answer, within about two seconds, and MUST NOT queue the request for later.
 */
export interface Engine {
  readonly polls: Polls;
  readonly hints: Hints;
  readonly records: Records;
  readonly comments: Comments;
  readonly archive: Archive;

  /**
   * `polls.cast`, for a voting front end of somebody else: what a package's user calls. MUST reject with what `checkBallot`
   * throws, a `TypeError` or `RangeError`, before anything is counted.
   */
  castBallot(ballot: Ballot): Promise<BallotReceipt>;

  /**
   * What can be done at this moment, as far as can be told without storing anything. MUST reject where nothing can be read,
   * MUST NOT go on telling of a fault that is over, and MUST be cheap: it is asked every few seconds.
   */
  checkHealth(): Promise<EngineHealth>;

  /** What this is and how durable, for an operator who asks once. MUST NOT tell a password. */
  describe(): Promise<EngineDescription>;

  /** MUST let what was asked for finish, and MUST let go of every connection, file and timer. */
  close(): Promise<void>;
}

export interface EngineDescription {
  /** One line. */
  readonly text: string;
  /** What is dangerous about the way it is set up, one line each. */
  readonly advice: readonly string[];
}

/** What an engine can do at this moment. */
export interface EngineHealth {
  /** `some`: only some polls can be read, as where a cluster has lost a shard. */
  readonly reads: 'all' | 'some';
  /** Of the polls that can be read. */
  readonly writes: 'all' | 'some' | 'none';
  /** What is the matter, for an operator and in constant words that anybody may see; undefined where nothing is. */
  readonly fault?: string | undefined;
}
