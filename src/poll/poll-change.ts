import type { ResultsVisibility } from './poll.ts';

/** A change by the creator's hand; what is left out stays as it is. Every change raises the version. */
export interface PollChange {
  readonly closed?: boolean | undefined;
  /** UNIX time in milliseconds; null takes the deadline away. */
  readonly deadlineMs?: number | null | undefined;
  readonly resultsVisibility?: ResultsVisibility | undefined;
  readonly viewKeyHash?: string | undefined;
}
