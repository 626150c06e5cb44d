import type { PollStatus, ResultsVisibility } from '../../poll/poll.ts';

/** What the creator's page is told while it is open. */
export type ManageMessage = ManageState | { readonly screens: number };

export interface ManageState {
  readonly votes: readonly { readonly id: string; readonly votes: number }[];
  readonly voters: number;
  readonly status: PollStatus;
  readonly resultsVisibility: ResultsVisibility;
  /** UNIX time in milliseconds. */
  readonly deadlineMs: number | null;
  /** Milliseconds after the opening of a poll that is prepared. */
  readonly closesInMs?: number | undefined;
  /** The same, when this was true, by the engine's clock. */
  readonly nowMs: number;
}
