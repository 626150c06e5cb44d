import type { PollStatus, Results, ResultsVisibility } from './poll.ts';

/** A change by the creator's hand; what is left out stays as it is. Every change raises the version. */
export interface PollChange {
  /** False opens the poll, also one that was upcoming. */
  readonly closed?: boolean | undefined;
  /** UNIX time in milliseconds; null takes the deadline away. */
  readonly deadlineMs?: number | null | undefined;
  readonly resultsVisibility?: ResultsVisibility | undefined;
  readonly viewKeyHash?: string | undefined;
}

/** How a creator wants a poll to be; what is left out stays as it is. */
export interface WantedState {
  readonly status?: Exclude<PollStatus, 'upcoming'> | undefined;
  /** UNIX time in milliseconds; null is none. */
  readonly deadlineMs?: number | null | undefined;
  /** Milliseconds from the moment of the read, in place of a deadline. */
  readonly closesInMs?: number | undefined;
  readonly resultsVisibility?: ResultsVisibility | undefined;
}

export type ChangeFault =
  /** A new deadline lies in the past. */
  | 'deadline_in_past'
  /** Results were to wait for the end of a poll that has none. */
  | 'deadline_missing'
  /** The poll was to be open, and its deadline has passed. */
  | 'deadline_passed';

export type PlannedChange =
  /** Undefined where the poll is as it is wanted. */
  | { readonly change: PollChange | undefined; readonly fault?: undefined }
  | { readonly change?: undefined; readonly fault: ChangeFault };

/**
 * The rules of every change by the creator's hand, whichever way it comes in.
 *
 * @param results the poll now: its time of reading is the clock
 */
export function planChange(results: Results, wanted: WantedState): PlannedChange {
  const { readAtMs } = results;
  const given =
    wanted.closesInMs === undefined ? wanted.deadlineMs : Math.round(readAtMs + wanted.closesInMs);
  const deadlineMs = given === undefined ? results.deadlineMs : given;
  const moves = deadlineMs !== results.deadlineMs;
  const isPast = deadlineMs !== null && deadlineMs <= readAtMs;
  if (given !== undefined && isPast) return { fault: 'deadline_in_past' };
  if (wanted.status === 'open' && isPast) return { fault: 'deadline_passed' };
  if (wanted.resultsVisibility === 'after_deadline' && deadlineMs === null)
    return { fault: 'deadline_missing' };

  const visibility = visibilityOf(wanted.resultsVisibility ?? results.resultsVisibility, deadlineMs);
  // Without its deadline a poll that is to be closed would be open again.
  const turns = wanted.status !== undefined && (wanted.status !== results.status || moves);
  const change: PollChange = {
    ...(turns && { closed: wanted.status === 'closed' }),
    ...(moves && { deadlineMs }),
    ...(visibility !== results.resultsVisibility && { resultsVisibility: visibility }),
  };
  return { change: Object.keys(change).length === 0 ? undefined : change };
}

/** Results that wait for an end would wait for ever without one. */
function visibilityOf(visibility: ResultsVisibility, deadlineMs: number | null): ResultsVisibility {
  return visibility === 'after_deadline' && deadlineMs === null ? 'hidden' : visibility;
}
