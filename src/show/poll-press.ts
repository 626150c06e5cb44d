import { areResultsPublic, type PollId, type Results } from '../poll/poll.ts';
import { type PollChange, planChange } from '../poll/poll-change.ts';
import { PollError } from '../poll/poll-error.ts';

/** What a button of a show changes in the poll on air, and what takes that back. Pure. */

export type PollButton = 'open' | 'close' | 'step' | 'reveal';

/** What a press changed in a poll. */
export interface PressedPoll {
  readonly id: PollId;
  readonly before: StateBefore;
  readonly change: PollChange;
}

/** `readAtMs` is the time of the press by the engine's clock. */
export type StateBefore = Pick<
  Results,
  'status' | 'deadlineMs' | 'closesInMs' | 'resultsVisibility' | 'edition' | 'readAtMs'
>;

export function stateOf(results: Results): StateBefore {
  const { status, deadlineMs, closesInMs, resultsVisibility, edition, readAtMs } = results;
  return { status, deadlineMs, closesInMs, resultsVisibility, edition, readAtMs };
}

/** Optional members of a press. */
export interface PressOptions {
  /** Milliseconds from now, or for an upcoming poll from its opening. */
  readonly closesInMs?: number | undefined;
  /** Reveals the results of an open poll, too. */
  readonly confirm?: boolean | undefined;
  /** Of the show. */
  readonly finalTwo: boolean;
}

/**
 * The change that a button makes. Opening a poll whose deadline has passed removes the deadline.
 *
 * @returns undefined if the poll already is as wanted
 * @throws PollError `poll_open`
 */
export function planPress(
  results: Results,
  button: PollButton,
  { closesInMs, confirm }: PressOptions,
): PollChange | undefined {
  const { status, deadlineMs, readAtMs } = results;
  switch (button) {
    case 'open': {
      const isPast = deadlineMs !== null && deadlineMs <= readAtMs;
      const end = isPast && closesInMs === undefined ? { deadlineMs: null } : { closesInMs };
      return planChange(results, { status: 'open', ...end }).change;
    }
    case 'close':
      if (status === 'closed') return undefined;
      return planChange(results, closesInMs === undefined ? { status: 'closed' } : { closesInMs }).change;
    default:
      if (areResultsPublic(results)) return undefined;
      if (status === 'open' && !confirm) throw new PollError('poll_open');
      return { resultsVisibility: 'always' };
  }
}

/**
 * The change that takes a press back. It restores only what the press changed: what another request has changed back since stays,
 * and so does a poll that its own deadline has closed.
 *
 * @param now the poll now
 * @returns undefined if nothing is left to restore
 */
export function planUndo(now: Results, { before, change }: PressedPoll): PollChange | undefined {
  const restored = { ...turnBack(now, before, change), ...hideAgain(now, before, change) };
  return Object.keys(restored).length === 0 ? undefined : restored;
}

/** A poll opens again with the time that was left at the press. */
function turnBack(
  now: Results,
  before: StateBefore,
  { closed, deadlineMs, closesInMs }: PollChange,
): PollChange {
  if (closed === undefined && deadlineMs === undefined && closesInMs === undefined) return {};
  if (before.status === 'open') {
    if (now.status !== (closed ? 'closed' : 'open')) return {};
    const leftMs = before.deadlineMs === null ? null : before.deadlineMs - before.readAtMs;
    return { ...(closed && { closed: false }), deadlineMs: leftMs === null ? null : now.readAtMs + leftMs };
  }
  const end =
    before.closesInMs === undefined ? { deadlineMs: before.deadlineMs } : { closesInMs: before.closesInMs };
  const isSameEnd = now.deadlineMs === before.deadlineMs && now.closesInMs === before.closesInMs;
  if (now.status === before.status) return isSameEnd ? {} : end;
  if (closed === undefined) return {};
  return before.status === 'upcoming' ? { upcoming: true, ...end } : { closed: true, ...end };
}

function hideAgain(now: Results, before: StateBefore, change: PollChange): PollChange {
  const { resultsVisibility } = before;
  if (change.resultsVisibility === undefined || now.resultsVisibility === resultsVisibility) return {};
  // Without a deadline, `after_deadline` would never end.
  const hasEnd = now.deadlineMs !== null || now.closesInMs !== undefined || before.deadlineMs !== null;
  return {
    resultsVisibility: resultsVisibility === 'after_deadline' && !hasEnd ? 'hidden' : resultsVisibility,
  };
}
