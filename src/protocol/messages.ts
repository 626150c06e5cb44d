import type { PollStatus, ResultsVisibility } from '../poll/poll.ts';

/** What is said on the live stream, word for word as PROTOCOL.md beside this file has it. */

export interface ResultsAnswer {
  readonly id: string;
  readonly answer: string;
  /** Position, counting from 1. */
  readonly sorting: number;
  readonly type: 'text';
  readonly votes: number;
}

/** The results of a poll, as REST replies give them. */
export interface ResultsBody {
  readonly id: string;
  readonly title: string;
  readonly poll_answers: readonly ResultsAnswer[];
  /** Always exactly the sum of `votes`. */
  readonly total_votes: number;
  readonly success: 1;
  /** UNIX time in whole seconds: the moment of the read. */
  readonly timestamp: number;
  readonly version: number;
  /** Opaque. Equal positions are equal results, but for `timestamp`. */
  readonly position: string;
  /** Ballots; equal to `total_votes` unless a ballot may carry several answers. */
  readonly total_voters: number;
  readonly status: PollStatus;
  /** ISO 8601, UTC; null where no deadline is active. */
  readonly deadline: string | null;
  /** Seconds from the opening to the deadline; only of a poll that has not been opened yet. */
  readonly closes_in?: number;
  readonly results_visibility: ResultsVisibility;
  /** Simulated votes, of the poll `rehearsal` and of no other: nobody voted. */
  readonly rehearsal?: true;
}

export interface ResultsMessage extends ResultsBody {
  readonly type: 'results';
  /** The poll is closed: nothing follows unless its creator changes it. */
  readonly final?: true;
  /** The version went back, or has other results than before: forget what was shown. */
  readonly reset?: true;
}

/** The counts alone, for a subscriber that has the rest in the `results` before: in its order, and never a difference. */
export interface CountsMessage {
  readonly type: 'counts';
  readonly id: string;
  readonly version: number;
  /** UNIX time in whole seconds: the moment of the read. */
  readonly timestamp: number;
  /** In the order of `poll_answers`. */
  readonly votes: readonly number[];
  readonly total_voters: number;
  readonly position: string;
}

/** The poll without any count, for a subscriber that may not see them. */
export interface HiddenMessage {
  readonly type: 'hidden';
  readonly id: string;
  readonly title: string;
  readonly poll_answers: readonly Omit<ResultsAnswer, 'votes'>[];
  readonly success: 1;
  readonly status: PollStatus;
  readonly deadline: string | null;
  readonly closes_in?: number;
  readonly results_visibility: ResultsVisibility;
}

export interface CurrentMessage {
  readonly type: 'current';
  readonly id: string;
  readonly version: number;
  readonly position: string;
}

export interface StaleMessage {
  readonly type: 'stale';
  readonly id: string;
  /** UNIX time in whole seconds: since when what is shown may be old. */
  readonly since: number;
}

export interface HeartbeatMessage {
  readonly type: 'heartbeat';
  /** UNIX time in whole seconds. */
  readonly timestamp: number;
}

export interface ErrorMessage {
  readonly type: 'error';
  readonly code: string;
  readonly message: string;
  /** The poll that was refused, where it was one. */
  readonly id?: string | undefined;
  /** The show, where it was one. */
  readonly show?: string | undefined;
}

/** Which poll a show points to: sent on following it and on each switch, and to who has its key on every change. */
export interface ShowMessage {
  readonly type: 'show';
  readonly show: string;
  /** null while nothing is on air. */
  readonly id: string | null;
  /** The connection is subscribed to that poll, whose first message comes next. */
  readonly subscribed?: true | undefined;
  /** This and all that follows for those who have the key of the show alone. */
  readonly title?: string | undefined;
  /** Ids, in order. */
  readonly rundown?: readonly string[] | undefined;
  /** Those of the run-down that the show owns. */
  readonly own?: readonly string[] | undefined;
  /** The poll of the run-down that is or was on air last. */
  readonly place?: string | null | undefined;
  /** Grows with every change of the show. */
  readonly version?: number | undefined;
}

export type ServerMessage =
  | ResultsMessage
  | CountsMessage
  | HiddenMessage
  | CurrentMessage
  | StaleMessage
  | HeartbeatMessage
  | ShowMessage
  | ErrorMessage;

export interface SubscribeMessage {
  readonly type: 'subscribe';
  readonly id: string;
  readonly key?: string | undefined;
  /** A position; the bare version of older clients confirms nothing. */
  readonly since?: string | number | undefined;
}

export interface UnsubscribeMessage {
  readonly type: 'unsubscribe';
  readonly id: string;
}

export interface FollowMessage {
  readonly type: 'follow';
  /** Name of a show. */
  readonly show: string;
  /** Of the show, or an operator's. */
  readonly key?: string | undefined;
}

export type ClientMessage = SubscribeMessage | UnsubscribeMessage | FollowMessage;
