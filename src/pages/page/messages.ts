import type { RejectedBallots } from '../../poll/ballot.ts';
import type { VotersBySource } from '../../poll/chat-platform.ts';
import {
  areResultsPublic,
  type ExpectedState,
  type PollId,
  type PollStatus,
  type Results,
} from '../../poll/poll.ts';

/** The messages between this server and the scripts of its pages. Times are UNIX times in milliseconds. */

/** The public state of a poll. No ballot changes it. */
export interface PollState extends Omit<ExpectedState, 'closesInMs'> {
  readonly visible: boolean;
  /** Votes that the creator removed from visible, final results, which pages then read again; absent for none. */
  readonly voided?: number;
}

/** Header of a request for the state: the interval in milliseconds that the page was given. Caches don't vary by it. */
export const INTERVAL_HEADER = 'tallycast-interval';

/** An audience that waits for a poll to open should see it soon. After the close only a reopening changes anything. */
export const STATE_INTERVAL_MS: Readonly<Record<PollStatus, number>> = {
  upcoming: 3_000,
  open: 15_000,
  closed: 30_000,
};

/** `GET /<poll>/state`, for pages that show no results. */
export interface StateMessage extends PollState {
  readonly nowMs: number;
  /** Milliseconds until the next request. */
  readonly againMs: number;
}

/** `GET /show/<name>/live`, for the audience of a show. */
export interface OnAirMessage {
  readonly onAir: PollId | null;
  /** Pages load the next poll at random times within this many milliseconds. */
  readonly spreadMs: number;
  /** Milliseconds until the next request, which the server may hold until something changes. */
  readonly againMs: number;
  /** State of the poll on air, once the server has read it. */
  readonly poll?: MarkedPollState;
  /** The look of the show, if it is not that of the page. */
  readonly look?: PageLook;
}

/**
 * The look of a show on the pages of its audience: the logo, and CSS with its accent and answer
 * colors in both schemes.
 */
export interface PageLook {
  /** Differs whenever the look does; empty for none. */
  readonly mark: string;
  readonly css: string;
  /** URL on the relay. */
  readonly logo: string | null;
}

export interface MarkedPollState {
  /** Differs whenever the state does. A page sends it with its request and gets a reply once it is outdated. */
  readonly mark: string;
  /** Null for a deleted poll. */
  readonly state: PollState | null;
}

/** An event of `GET /<poll>/manage/live`. */
export type ManageMessage = ManageState | ManageNumbers;

export interface ManageNumbers {
  readonly screens: number;
  readonly rejected: RejectedBallots;
}

export interface ManageState extends Omit<ExpectedState, 'revealedFrom'> {
  readonly votes: readonly { readonly id: string; readonly votes: number }[];
  readonly voters: number;
  /** Undefined if none voted in a chat. */
  readonly sources?: VotersBySource | undefined;
  /** Votes that the creator removed. */
  readonly voided: number;
  readonly nowMs: number;
}

export function pollState(results: Results): PollState {
  const { status, deadlineMs, resultsVisibility, revealedFrom, edition, voidedVotes } = results;
  const visible = areResultsPublic(results);
  const voided = visible && status === 'closed' && voidedVotes;
  return {
    status,
    deadlineMs,
    visible,
    resultsVisibility,
    revealedFrom,
    edition,
    ...(voided && { voided }),
  };
}

/**
 * Status of pages of a deleted poll or show. Open pages tell it from one that is only missing,
 * which they ask for again.
 */
export const GONE_STATUS = 410;

/** State of a deleted poll. */
export const GONE: MarkedPollState = { mark: 'gone', state: null };

export function markedPollState(results: Results): MarkedPollState {
  const state = pollState(results);
  const { status, resultsVisibility, visible, deadlineMs, revealedFrom, edition } = state;
  const marks = [status, resultsVisibility, visible, deadlineMs ?? 'never', edition, revealedFrom];
  return { mark: marks.filter(mark => mark !== undefined).join('.'), state };
}
