import type { AiredWinner } from '../poll/aired-winner.ts';
import type { VotersBySource } from '../poll/chat-platform.ts';
import type { ImageFocus, PollStatus, ResultsVisibility } from '../poll/poll.ts';
import type { Pressed } from '../poll/pressed.ts';

/** The messages of the live stream, see PROTOCOL.md. */

export interface ResultsAnswer {
  readonly id: string;
  readonly answer: string;
  /** Position, counting from 1. */
  readonly sorting: number;
  readonly type: 'text';
  /** `#rrggbb`, if the creator chose one. */
  readonly color?: string | undefined;
  /** Path of its image on the relay, if it has one. */
  readonly image?: string | undefined;
  /** The point that a crop keeps, in percent from the top left; absent for `[50, 28]`. */
  readonly image_focus?: ImageFocus | undefined;
  readonly votes: number;
}

/** An answer of hidden results: figures only once a step of the reveal has shown it. */
export interface HiddenAnswer extends Omit<ResultsAnswer, 'votes'> {
  readonly votes?: number;
  /** By votes, from 1; equal counts share a place and the next is skipped (1, 1, 3). */
  readonly place?: number;
}

/** The results of a poll, as REST replies give them. */
export interface ResultsBody {
  readonly id: string;
  readonly title: string;
  readonly poll_answers: readonly ResultsAnswer[];
  /** The sum of `votes`. */
  readonly total_votes: number;
  readonly success: 1;
  /** UNIX time in whole seconds of the read. */
  readonly timestamp: number;
  readonly version: number;
  /** Opaque. Equal positions mean equal results, except for `timestamp`. */
  readonly position: string;
  /** Ballots; equal to `total_votes` unless ballots have several answers. */
  readonly total_voters: number;
  /** Absent if none came from chat. */
  readonly by_source?: VotersBySource | undefined;
  /** Votes of ballots that the creator removed, which no other count includes; absent for none. */
  readonly voided_votes?: number | undefined;
  readonly status: PollStatus;
  /** Digits that voters type in place of the link; absent without a code, and in a closed poll. */
  readonly join_code?: string | undefined;
  /** ISO 8601, UTC; null without an active deadline. */
  readonly deadline: string | null;
  /** Upcoming polls only: seconds from opening to deadline. */
  readonly closes_in?: number | undefined;
  readonly results_visibility: ResultsVisibility;
  /** The best place that steps of the reveal have shown; absent before the first and after the last. */
  readonly revealed_from?: number | undefined;
  /** When a text was last corrected after the first ballot: ISO 8601, UTC; absent if none was. */
  readonly edited_at?: string | undefined;
  /** From 2 on; absent in the first round. */
  readonly round?: number | undefined;
  /**
   * Polls of a show: what people type in chat for each answer. Empty if the poll takes no votes
   * from chat; absent for the numbers from 1.
   */
  readonly chat_labels?: readonly string[] | undefined;
  /** Simulated votes. */
  readonly rehearsal?: true | undefined;
}

export interface ResultsMessage extends ResultsBody {
  readonly type: 'results';
  /** The poll is closed. No message follows unless its creator changes it. */
  readonly final?: true;
  /** Another round began, or the engine lost data: discard older results. */
  readonly reset?: true;
}

/** Only the counts, for subscribers that have the last `results`. Complete, never a difference. */
export interface CountsMessage
  extends Pick<ResultsBody, 'id' | 'version' | 'timestamp' | 'total_voters' | 'position'>,
    // Replace those of the last `results`, also where they are absent.
    Pick<ResultsBody, 'by_source' | 'voided_votes'> {
  readonly type: 'counts';
  /** In the order of `poll_answers`. */
  readonly votes: readonly number[];
}

/** The poll without counts, or with those that steps of its reveal have shown. */
export interface HiddenMessage
  extends Pick<ResultsBody, 'id' | 'title' | 'success' | 'status' | 'join_code' | 'deadline' | 'closes_in'>,
    Pick<ResultsBody, 'results_visibility' | 'revealed_from' | 'round' | 'chat_labels' | 'rehearsal'> {
  readonly type: 'hidden';
  readonly poll_answers: readonly HiddenAnswer[];
  /** These two from the first step of a reveal on, and with `show_total_while_hidden`. */
  readonly total_votes?: number | undefined;
  readonly total_voters?: number | undefined;
}

export interface CurrentMessage extends Pick<ResultsBody, 'id' | 'version' | 'position'> {
  readonly type: 'current';
}

export interface StaleMessage {
  readonly type: 'stale';
  readonly id: string;
  /** UNIX time in whole seconds since which the results may be outdated. */
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
  /** The rejected poll. */
  readonly id?: string | undefined;
  /** The rejected show. */
  readonly show?: string | undefined;
  /** It was deleted. Without it, what is missing may come back. */
  readonly deleted?: true | undefined;
}

/** Parameters of overlays by name, see the README of the overlay. */
export type ShowLook = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * The poll that a show has on air, and its look. Sent on following and on each switch; with the key
 * of the show on every change.
 */
export interface ShowMessage {
  readonly type: 'show';
  readonly show: string;
  /** null if nothing is on air. */
  readonly id: string | null;
  /** There is no such show, and its deletion is not stored: it may come back. */
  readonly missing?: true | undefined;
  /** The connection is subscribed to that poll. Its first message follows. */
  readonly subscribed?: true | undefined;
  /** Absent or null without one, as the images. */
  readonly look?: ShowLook | null | undefined;
  /** Looks of polls over that of the show, by their ids. Without a key, only of the poll on air. */
  readonly looks?: Readonly<Record<string, ShowLook>> | undefined;
  /** Path of the image, to be added to the URL of the relay. */
  readonly logo?: string | null | undefined;
  /** Seconds that viewers are behind what is on air; absent for 0. */
  readonly delay?: number | undefined;
  /** Absent where pictures show the winner with the close. */
  readonly aired_winner?: AiredWinner | null | undefined;
  /** As `logo`: the image behind full pictures. */
  readonly ground?: string | null | undefined;
  /** The poll on air counts votes from chats that the show links, unless its `chat_labels` are empty. */
  readonly chat?: true | undefined;
  /** Digits that the audience types in place of the link; absent without a code. */
  readonly join_code?: string | undefined;
  /** This and all members below only with the key of the show. */
  readonly title?: string | undefined;
  /** Ids, in order. */
  readonly rundown?: readonly string[] | undefined;
  /** The polls of the rundown that the show owns. */
  readonly own?: readonly string[] | undefined;
  /** The poll of the rundown that is or was on air last. */
  readonly place?: string | null | undefined;
  /** Grows with every change of the show. */
  readonly version?: number | undefined;
  /** The newest press that changed what is on air or a poll. */
  readonly pressed?: Pressed | undefined;
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
  /** A position, or the version that older clients send. */
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
  /** Key of the show or an operator. */
  readonly key?: string | undefined;
}

export type ClientMessage = SubscribeMessage | UnsubscribeMessage | FollowMessage;
