import {
  type EncodedImage,
  type ExpectedState,
  imageFiles,
  type Poll,
  type PollNow,
  type PollStatus,
  type Results,
  type ResultsVisibility,
  type SeenState,
} from './poll.ts';

/** A change of a stored poll; absent members stay as they are. Every change raises the version. */
export interface PollChange {
  /** False opens the poll, also an upcoming one. */
  readonly closed?: boolean | undefined;
  /** Takes back an opening: the poll is upcoming again if no ballot was ever accepted, otherwise closed. */
  readonly upcoming?: true | undefined;
  /** UNIX time in milliseconds; null removes the deadline. */
  readonly deadlineMs?: number | null | undefined;
  /** Milliseconds after the next opening, instead of a deadline. */
  readonly closesInMs?: number | undefined;
  readonly resultsVisibility?: ResultsVisibility | undefined;
  /** A step of a reveal: see `revealedAfter`. Null hides all places again. */
  readonly revealedFrom?: number | null | undefined;
  readonly viewKeyHash?: string | undefined;
  readonly adminKeyHash?: string | undefined;
  readonly correction?: Correction | undefined;
  /** As the caller has seen the poll. An engine rejects the change if the poll has another state or edition by now. */
  readonly expected?: ExpectedState | undefined;
}

export function stateOf({ poll: { round }, results }: PollNow): SeenState {
  const { status, deadlineMs, closesInMs, resultsVisibility, revealedFrom, edition, readAtMs } = results;
  return { status, deadlineMs, closesInMs, resultsVisibility, revealedFrom, edition, round, readAtMs };
}

/** The same text for the same state. */
export function markOfState(state: ExpectedState): string {
  const { status, deadlineMs, resultsVisibility, closesInMs, edition, revealedFrom } = state;
  const marks = [status, deadlineMs, resultsVisibility, closesInMs, edition, revealedFrom];
  return marks.map(mark => mark ?? '').join(' ');
}

/** A new definition of a poll. An engine rejects it if the poll is not as it was read. */
export interface Correction {
  /** As it was read. */
  readonly before: Poll;
  /** With another `edition`. */
  readonly after: Poll;
  /** No ballot was accepted until the read. Otherwise the answers have the same ids in the same order. */
  readonly isUnvoted: boolean;
  /** The one that `after` names and `before` may not. */
  readonly image?: EncodedImage | undefined;
}

/** Returns the image files that the poll does not use after the correction. */
export function imagesLost({ before, after }: Correction): string[] {
  const kept = new Set(imageFiles(after));
  return imageFiles(before).filter(file => !kept.has(file));
}

/**
 * The state that a creator asks for; absent members stay as they are. In place of a deadline, `closesInMs` counts
 * from now, or for an upcoming poll from its opening.
 */
export interface WantedState extends Pick<PollChange, 'deadlineMs' | 'closesInMs' | 'resultsVisibility'> {
  readonly status?: Exclude<PollStatus, 'upcoming'> | undefined;
}

export type ChangeFault =
  /** The new deadline is in the past. */
  | 'deadline_in_past'
  /** `after_deadline` for a poll without a deadline. */
  | 'deadline_missing'
  /** Opening a poll whose deadline has passed. */
  | 'deadline_passed';

export type PlannedChange =
  /** `change` is undefined if the poll already is as wanted. */
  | { readonly change: PollChange | undefined; readonly fault?: undefined }
  | { readonly change?: undefined; readonly fault: ChangeFault };

/**
 * The rules for changes by a creator, used by the API and by the manage page.
 *
 * @param results the poll now: `readAtMs` is the clock
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

  const visible = wanted.resultsVisibility ?? results.resultsVisibility;
  // Without a deadline `after_deadline` would never end.
  const visibility = visible === 'after_deadline' && !hasEnd ? 'hidden' : visible;
  // Closing a poll and removing its passed deadline in one change must not reopen it.
  const turns = wanted.status !== undefined && (wanted.status !== results.status || moves);
  const change: PollChange = {
    ...(turns && { closed: wanted.status === 'closed' }),
    ...(moves && (closesInMs === undefined ? { deadlineMs } : { closesInMs })),
    ...(visibility !== results.resultsVisibility && { resultsVisibility: visibility }),
  };
  return { change: Object.keys(change).length === 0 ? undefined : change };
}

/** When a poll closes by itself; both members are empty if it does not. */
export type PollEnd = Pick<Results, 'deadlineMs' | 'closesInMs'>;

/**
 * The end of a poll after a change. Opening an upcoming poll turns `closesInMs` into a deadline.
 *
 * @param nowMs UNIX time in milliseconds, by the engine's clock
 */
export function endAfter(end: PollEnd, change: PollChange, nowMs: number): PollEnd {
  const deadlineMs = change.deadlineMs === undefined ? end.deadlineMs : change.deadlineMs;
  const closesInMs = change.closesInMs ?? (change.deadlineMs === undefined ? end.closesInMs : undefined);
  if (closesInMs === undefined) return { deadlineMs };
  return change.closed === false ? { deadlineMs: nowMs + closesInMs } : { deadlineMs: null, closesInMs };
}

/**
 * The best place that a poll shows after a change. A change of its visibility, and opening it, hide all places again.
 *
 * @param results as they are after the rest of the change
 * @returns `rejected` for a step of a poll that is not closed and hidden
 */
export function revealedAfter(
  { status, resultsVisibility, revealedFrom }: Pick<Results, 'status' | 'resultsVisibility' | 'revealedFrom'>,
  change: PollChange,
): number | undefined | 'rejected' {
  const isStepped = status === 'closed' && resultsVisibility === 'hidden';
  if (change.revealedFrom != null) return isStepped ? change.revealedFrom : 'rejected';
  const stays = isStepped && change.revealedFrom === undefined && change.resultsVisibility === undefined;
  return stays ? revealedFrom : undefined;
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
