import { type AiredWinner, winnerCueOf } from '../poll/aired-winner.ts';
import { areResultsPublic, type PollId, type Reading } from '../poll/poll.ts';
import type { PollChange } from '../poll/poll-change.ts';
import type { PollButton } from './poll-press.ts';

/** The winner comes with the close of a poll, or where the show has `winner: "press"`, on a press of its own. Pure. */

export const WINNER_CUES = ['close', 'press'] as const;
export type WinnerCue = (typeof WINNER_CUES)[number];

/** The winner of a round came on a press. */
export interface ShownWinner {
  readonly poll: PollId;
  readonly round: number;
  /** The next press has brought back the table. */
  readonly isPast?: true | undefined;
}

/** The part of a show that decides about its winners. */
export interface Winners {
  /** Absent for `close`. */
  readonly winner?: WinnerCue | undefined;
  /** Those that came on a press, at most one of each poll; absent for none. */
  readonly winners?: readonly ShownWinner[] | undefined;
}

/** Undefined where the winner comes with the close, or nothing is on air. */
export function winnerOnAir(
  { winner, winners = [] }: Winners,
  onAir: PollId | null,
): AiredWinner | undefined {
  if (winner !== 'press' || onAir === null) return undefined;
  const { round = null, isPast } = winners.find(({ poll }) => poll === onAir) ?? {};
  return { round, ...(isPast && { past: true }) };
}

/** What `step` does to a closed poll with public results; undefined for nothing. */
export function nextCue(show: Winners, { poll, results }: Reading): 'winner' | 'table' | undefined {
  const isShown = results.status === 'closed' && areResultsPublic(results);
  return winnerCueOf(winnerOnAir(show, poll.id), poll, isShown);
}

/**
 * The winners of a show after a press of a button. An opening takes the winner back, so that it comes again.
 *
 * @param change of the poll, by the same press @param to a place, which no table is
 * @returns undefined if they stay as they are
 */
export function planWinners(
  show: Winners,
  reading: Reading,
  button: PollButton,
  change: PollChange | undefined,
  to: number | undefined,
): readonly ShownWinner[] | undefined {
  const { poll, results } = reading;
  const { winner, winners = [] } = show;
  const others = winners.filter(one => one.poll !== poll.id);
  if (button === 'open') return change && others.length < winners.length ? others : undefined;
  if (button !== 'step' && button !== 'reveal') return undefined;
  // Results that this press shows come with their winner.
  const isRevealed = change?.resultsVisibility === 'always' && results.status === 'closed';
  const cue = change ? isRevealed && winner === 'press' && 'winner' : nextCue(show, reading);
  if (!cue || (cue === 'table' && (button === 'reveal' || to !== undefined))) return undefined;
  return [...others, { poll: poll.id, round: poll.round ?? 1, ...(cue === 'table' && { isPast: true }) }];
}

/** The winners without what a press did to the one of its poll. @param winners those before the press */
export function winnersBefore(
  { winners: now = [] }: Winners,
  { poll, winners }: Pick<Winners, 'winners'> & { readonly poll?: { readonly id: PollId } | undefined },
): readonly ShownWinner[] {
  if (!poll || !winners) return now;
  return [...now.filter(one => one.poll !== poll.id), ...winners.filter(one => one.poll === poll.id)];
}
