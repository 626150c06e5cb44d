import type { PollStatus, ResultsVisibility } from '../../poll/poll.ts';

/** What an open page must know while its voter sees no results: nothing of it changes when a ballot is cast. */
export interface StateMessage {
  readonly status: PollStatus;
  /** UNIX time in milliseconds. */
  readonly deadlineMs: number | null;
  readonly nowMs: number;
  /** Whether everybody may see the results now. */
  readonly visible: boolean;
  readonly resultsVisibility: ResultsVisibility;
  /** When to ask again, in milliseconds. */
  readonly againMs: number;
}
