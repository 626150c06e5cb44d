import type { PollId } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { originOfTwin, twinOf } from '../poll/rehearsal-twin.ts';
import type { StoredShow } from './stored-show.ts';

/** Where a show is in its run-down, and what its buttons lead to. */

/** As many as one connection of the live stream watches: a desk watches them all. */
export const MAX_RUNDOWN = 100;

export type Direction = 'next' | 'previous';

export interface Step {
  readonly to: PollId;
  /** Polls that were deleted, and passed over. */
  readonly skipped: readonly PollId[];
}

/** @param onAir null takes everything off, and the place in the run-down stays */
export function withOnAir(show: StoredShow, onAir: PollId | null): StoredShow {
  if (onAir === null) return { ...show, onAir };
  const stands = standsFor(onAir);
  return { ...show, onAir, last: onAir, place: show.rundown.includes(stands) ? stands : show.place };
}

/** In a rehearsal a poll's twin stands where the poll does. */
function standsFor(id: PollId): PollId {
  return originOfTwin(id) ?? id;
}

/** @param own which polls of the run-down the show owns */
export function withRundown(
  show: StoredShow,
  rundown: readonly PollId[],
  own: readonly PollId[],
): StoredShow {
  return { ...show, rundown, own, place: placeIn(rundown, show) };
}

/** What was taken out leaves its place to what came before it, so that the next one stays the next. */
function placeIn(rundown: readonly PollId[], { rundown: before, place, onAir }: StoredShow): PollId | null {
  if (onAir !== null && rundown.includes(standsFor(onAir))) return standsFor(onAir);
  const passed = place === null ? [] : before.slice(0, before.indexOf(place) + 1);
  return passed.findLast(id => rundown.includes(id)) ?? null;
}

/**
 * While what is on air stands in the run-down, its neighbours are what is meant; in a rehearsal, their twins. Otherwise the run-down goes on after the poll that
 * was on air last, and goes back to that one.
 *
 * @param findGone which of these polls were deleted
 * @throws PollError `rundown_end`, `rundown_start`
 */
export async function stepFrom(
  { rundown, onAir, place }: StoredShow,
  direction: Direction,
  findGone: (ids: readonly PollId[]) => Promise<ReadonlySet<PollId>>,
): Promise<Step> {
  const at = place === null ? -1 : rundown.indexOf(place);
  const isOnAir = onAir !== null && place === standsFor(onAir);
  const ahead =
    direction === 'next'
      ? rundown.slice(at + 1)
      : rundown.slice(0, isOnAir ? Math.max(at, 0) : at + 1).reverse();
  // As a rule the first one is there, and the others need no looking at.
  const first = await findGone(ahead.slice(0, 1));
  const gone = first.size === 0 ? first : await findGone(ahead);
  const to = ahead.find(id => !gone.has(id));
  const isRehearsal = onAir !== null && standsFor(onAir) !== onAir;
  if (to !== undefined)
    return { to: isRehearsal ? twinOf(to) : to, skipped: ahead.slice(0, ahead.indexOf(to)) };
  throw new PollError(direction === 'next' ? 'rundown_end' : 'rundown_start', wordsFor(rundown, gone));
}

function wordsFor(rundown: readonly PollId[], gone: ReadonlySet<PollId>): { message?: string } {
  if (rundown.length === 0) {
    const message = 'The run-down is empty. Put polls into it first: POST /api/show/<name>/poll, or PATCH.';
    return { message };
  }
  if (gone.size === 0) return {};
  const what =
    gone.size === 1 ? 'The one poll that is left was deleted' : `All ${gone.size} polls left were deleted`;
  return {
    message: `${what}. Take it out of the run-down, or put another poll on air. Nothing was changed.`,
  };
}
