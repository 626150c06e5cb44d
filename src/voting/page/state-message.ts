import type { PollStatus, ResultsVisibility } from '../../poll/poll.ts';

/** What an open page must know while its voter sees no results: nothing of it changes when a ballot is cast. */
export interface PollState {
  readonly status: PollStatus;
  /** UNIX time in milliseconds. */
  readonly deadlineMs: number | null;
  /** Whether everybody may see the results now. */
  readonly visible: boolean;
  readonly resultsVisibility: ResultsVisibility;
}

export interface StateMessage extends PollState {
  readonly nowMs: number;
  /** When to ask again, in milliseconds. */
  readonly againMs: number;
}
