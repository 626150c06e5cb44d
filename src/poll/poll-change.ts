import type { PollStatus, Results, ResultsVisibility } from './poll.ts';

/** A change by the creator's hand; what is left out stays as it is. Every change raises the version. */
export interface PollChange {
  /** False opens the poll, also one that was upcoming. */
  readonly closed?: boolean | undefined;
  /** UNIX time in milliseconds; null takes the deadline away. */
  readonly deadlineMs?: number | null | undefined;
  /** Milliseconds after the next opening, in place of a deadline. */
  readonly closesInMs?: number | undefined;
  readonly resultsVisibility?: ResultsVisibility | undefined;
  readonly viewKeyHash?: string | undefined;
  readonly adminKeyHash?: string | undefined;
}

/** How a creator wants a poll to be; what is left out stays as it is. */
export interface WantedState {
  readonly status?: Exclude<PollStatus, 'upcoming'> | undefined;
  /** UNIX time in milliseconds; null is none. */
  readonly deadlineMs?: number | null | undefined;
  /** In place of a deadline: milliseconds from the opening of an upcoming poll, else from the moment of the read. */
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
  const given = givenEnd(results, wanted);
  const { deadlineMs = null, closesInMs } = given ?? results;
  const moves = deadlineMs !== results.deadlineMs || closesInMs !== results.closesInMs;
  const isPast = deadlineMs !== null && deadlineMs <= readAtMs;
  if (given !== undefined && isPast) return { fault: 'deadline_in_past' };
  if (wanted.status === 'open' && isPast) return { fault: 'deadline_passed' };
  const hasEnd = deadlineMs !== null || closesInMs !== undefined;
  if (wanted.resultsVisibility === 'after_deadline' && !hasEnd) return { fault: 'deadline_missing' };

  const visibility = visibilityOf(wanted.resultsVisibility ?? results.resultsVisibility, hasEnd);
  // Without its deadline a poll that is to be closed would be open again.
  const turns = wanted.status !== undefined && (wanted.status !== results.status || moves);
  const change: PollChange = {
    ...(turns && { closed: wanted.status === 'closed' }),
    ...(moves && (closesInMs === undefined ? { deadlineMs } : { closesInMs })),
    ...(visibility !== results.resultsVisibility && { resultsVisibility: visibility }),
  };
  return { change: Object.keys(change).length === 0 ? undefined : change };
}

/** When a poll closes by itself. Both are empty where it does not. */
export interface PollEnd {
  readonly deadlineMs: number | null;
  /** Milliseconds after the opening. */
  readonly closesInMs?: number | undefined;
}

/**
 * The end of a poll after a change. Opening turns the seconds of a prepared poll into a deadline.
 *
 * @param nowMs UNIX time in milliseconds, by the engine's clock
 */
export function endAfter(end: PollEnd, change: PollChange, nowMs: number): PollEnd {
  const deadlineMs = change.deadlineMs === undefined ? end.deadlineMs : change.deadlineMs;
  const closesInMs = change.closesInMs ?? (change.deadlineMs === undefined ? end.closesInMs : undefined);
  if (closesInMs === undefined) return { deadlineMs };
  return change.closed === false ? { deadlineMs: nowMs + closesInMs } : { deadlineMs: null, closesInMs };
}

function givenEnd(
  { status, readAtMs }: Results,
  { closesInMs, deadlineMs }: WantedState,
): PollEnd | undefined {
  if (closesInMs === undefined) return deadlineMs === undefined ? undefined : { deadlineMs };
  const wholeMs = Math.round(closesInMs);
  return status === 'upcoming'
    ? { deadlineMs: null, closesInMs: wholeMs }
    : { deadlineMs: readAtMs + wholeMs };
}

/** Results that wait for an end would wait for ever without one. */
function visibilityOf(visibility: ResultsVisibility, hasEnd: boolean): ResultsVisibility {
  return visibility === 'after_deadline' && !hasEnd ? 'hidden' : visibility;
}
