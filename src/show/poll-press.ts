import {
  areResultsPublic,
  hasBallots,
  type PollId,
  type Reading,
  type Results,
  type SeenState,
} from '../poll/poll.ts';
import { type PollChange, planChange } from '../poll/poll-change.ts';
import { PollError } from '../poll/poll-error.ts';
import { nextReveal } from '../poll/reveal-steps.ts';
import { closesInOf } from '../poll/show-delay.ts';

/** What a button of a show changes in the poll on air, and what takes that back. Pure. */

export const POLL_BUTTONS = ['open', 'close', 'keep_open', 'step', 'reveal', 'hide'] as const;
export type PollButton = (typeof POLL_BUTTONS)[number];

/** What a press changed in a poll. */
export interface PressedPoll {
  readonly id: PollId;
  /** `readAtMs` is the time of the press. Presses of an older release have no round. */
  readonly before: SeenState;
  readonly change: PollChange;
  /** The press began the round after `before`. */
  readonly again?: true | undefined;
}

/** Optional members of a press. */
export interface PressOptions {
  /** Milliseconds from now, or for an upcoming poll from its opening. */
  readonly closesInMs?: number | undefined;
  /** A place: reveals all down to it. Default: the next lowest place. */
  readonly to?: number | undefined;
  /** Also reveals the results of an open poll, and ends a reveal by steps. */
  readonly confirm?: boolean | undefined;
  /** Setting of the show, as `delayMs`. */
  readonly finalTwo: boolean;
  /**
   * Milliseconds that viewers are behind. What opens or closes a poll counts its end on air, and
   * the poll closes so much later.
   */
  readonly delayMs: number;
}

/** Members of a request. */
export interface AskedOptions extends Omit<PressOptions, 'finalTwo' | 'delayMs'> {
  /** Another poll than the one on air. */
  readonly poll?: PollId | undefined;
}

/**
 * The change that a button makes. Opening a poll whose deadline has passed on air removes the deadline.
 *
 * @returns undefined if the poll already is as wanted
 * @throws PollError `poll_open`, `nothing_to_reveal`, `confirm_required`
 */
export function planPress(
  results: Results,
  button: PollButton,
  { closesInMs, to, confirm, finalTwo, delayMs }: PressOptions,
): PollChange | undefined {
  const { status, deadlineMs, readAtMs } = results;
  const isRevealing = results.revealedFrom !== undefined && !areResultsPublic(results);
  if (isRevealing && !confirm && (button === 'open' || button === 'reveal'))
    throw new PollError('confirm_required', {
      message: `The results are being revealed place by place. To ${button} now, send {"show": {"confirm": true}}.`,
    });
  switch (button) {
    case 'open': {
      const isPast = deadlineMs !== null && deadlineMs <= readAtMs + delayMs;
      const onAirMs = closesInMs ?? results.closesInMs;
      const end =
        onAirMs === undefined ? isPast && { deadlineMs: null } : { closesInMs: closesInOf(delayMs, onAirMs) };
      return planChange(results, { status: 'open', ...end }).change;
    }
    case 'close': {
      if (status === 'closed') return undefined;
      const lateMs = status === 'open' ? delayMs : 0;
      const leftMs = (deadlineMs ?? Number.POSITIVE_INFINITY) - readAtMs;
      // Its vote has ended on air before.
      if (closesInMs === undefined && leftMs <= lateMs) return undefined;
      const endMs = closesInOf(lateMs, closesInMs);
      return planChange(results, endMs === undefined ? { status: 'closed' } : { closesInMs: endMs }).change;
    }
    case 'keep_open':
      return status === 'closed' ? undefined : planChange(results, { deadlineMs: null }).change;
    case 'step': {
      if (to !== undefined && isShownFrom(results, to)) return undefined;
      if (status === 'open') throw new PollError('poll_open');
      const step = nextReveal(results, { to, finalTwo });
      if (!step) throw new PollError('nothing_to_reveal');
      return step;
    }
    case 'reveal':
      if (areResultsPublic(results)) return undefined;
      if (status === 'open' && !confirm) throw new PollError('poll_open');
      return { resultsVisibility: 'always' };
    case 'hide':
      if (isRevealing) return { resultsVisibility: 'hidden', revealedFrom: null };
      return planChange(results, { resultsVisibility: 'hidden' }).change;
  }
}

function isShownFrom(results: Results, place: number): boolean {
  return areResultsPublic(results) || (results.revealedFrom ?? Number.POSITIVE_INFINITY) <= place;
}

/**
 * Whether a press can no longer be taken back: the next round has begun, or its late close has
 * ended the vote by now.
 */
export function isOver({ poll, results }: Reading, { before, change, again }: PressedPoll): boolean {
  if ((poll.round ?? 1) !== (before.round ?? 1) + (again ? 1 : 0)) return true;
  const isLateClose = before.status === 'open' && change.closed === undefined && change.deadlineMs != null;
  return isLateClose && results.deadlineMs === change.deadlineMs && results.readAtMs >= results.deadlineMs!;
}

/**
 * The change that takes a press back. It restores only what the press changed: what another request
 * has changed back since stays, and so does a poll that its own deadline has closed.
 *
 * @param now the poll now
 * @returns undefined if nothing is left to restore
 */
export function planUndo(now: Results, { before, change }: PressedPoll): PollChange | undefined {
  const turned = turnBack(now, before, change);
  const restored = { ...turned, ...hideAgain(now, before, change, turned) };
  return Object.keys(restored).length === 0 ? undefined : restored;
}

/** A poll opens again with the time that was left at the press. */
function turnBack(
  now: Results,
  before: SeenState,
  { closed, deadlineMs, closesInMs }: PollChange,
): PollChange {
  if (closed === undefined && deadlineMs === undefined && closesInMs === undefined) return {};
  const isSameEnd = now.deadlineMs === before.deadlineMs && now.closesInMs === before.closesInMs;
  if (before.status === 'open') {
    if (now.status !== (closed ? 'closed' : 'open') || (!closed && isSameEnd)) return {};
    const leftMs = before.deadlineMs === null ? null : before.deadlineMs - before.readAtMs;
    return { ...(closed && { closed: false }), deadlineMs: leftMs === null ? null : now.readAtMs + leftMs };
  }
  const end =
    before.closesInMs === undefined ? { deadlineMs: before.deadlineMs } : { closesInMs: before.closesInMs };
  if (closed === undefined) return now.status === before.status && !isSameEnd ? end : {};
  // A poll with ballots stays closed instead.
  const isUpcoming = before.status === 'upcoming' && !hasBallots(now);
  if (now.status === (isUpcoming ? 'upcoming' : 'closed')) return isSameEnd ? {} : end;
  return isUpcoming ? { upcoming: true, ...end } : { closed: true, ...end };
}

/** Places that were shown before are shown again only while the poll is closed and hidden. */
function hideAgain(
  now: Results,
  before: SeenState,
  { closed, resultsVisibility, revealedFrom }: PollChange,
  turned: PollChange,
): PollChange {
  const isClosed = turned.closed ?? (now.status === 'closed' && !turned.upcoming);
  const shown = (isClosed && before.revealedFrom) || null;
  const areSteps = (now.revealedFrom ?? null) === shown;
  if (resultsVisibility === undefined && revealedFrom === undefined)
    return closed === false && now.resultsVisibility === 'hidden' && !areSteps ? { revealedFrom: shown } : {};
  // Without a deadline, `after_deadline` would never end.
  const hasEnd = now.deadlineMs !== null || now.closesInMs !== undefined || before.deadlineMs !== null;
  const waits = before.resultsVisibility === 'after_deadline' && !hasEnd;
  const visibility = waits ? 'hidden' : before.resultsVisibility;
  return now.resultsVisibility === visibility && areSteps
    ? {}
    : { resultsVisibility: visibility, revealedFrom: shown };
}
