import type { Results } from './poll.ts';
import type { PollChange } from './poll-change.ts';
import { placesOf } from './ranking.ts';

/** The reveal of a closed poll with hidden results, place by place from the lowest. Pure, runs in browsers. */

export interface RevealOptions {
  /** A place: reveals all down to it, and never a better one. Default: the next lowest place. */
  readonly to?: number | undefined;
  /** The last two places appear together, as the last step. */
  readonly finalTwo: boolean;
}

/**
 * The change that makes the next step. Answers in a tie share a place and appear together, so a
 * poll without votes has one step. With `finalTwo`, a jump to the second of the last two places
 * stops before both.
 *
 * @returns undefined where nothing is left to reveal, `to` is revealed already, or the poll is not closed and `hidden`
 */
export function nextReveal(
  results: Pick<Results, 'votes' | 'status' | 'resultsVisibility' | 'revealedFrom'>,
  { to, finalTwo }: RevealOptions,
): Pick<PollChange, 'revealedFrom' | 'resultsVisibility'> | undefined {
  const { status, resultsVisibility, revealedFrom = Number.POSITIVE_INFINITY } = results;
  if (status !== 'closed' || resultsVisibility !== 'hidden') return undefined;
  const places = [...new Set(placesOf(results.votes))].sort((a, b) => a - b);
  const hidden = places.filter(place => place < revealedFrom);
  const last = finalTwo ? 2 : 1;
  if (to === undefined ? hidden.length <= last : to <= 1) return { resultsVisibility: 'always' };
  const reached = hidden.slice(last).find(place => place >= (to ?? hidden.at(-1)!));
  return reached === undefined ? undefined : { revealedFrom: reached };
}

/** What is shown of each answer, in the order of the poll; undefined for those that are hidden. */
export function revealedAnswers({
  votes,
  revealedFrom = Number.POSITIVE_INFINITY,
}: Pick<Results, 'votes' | 'revealedFrom'>): (
  | { readonly votes: number; readonly place: number }
  | undefined
)[] {
  const places = placesOf(votes);
  return votes.map((count, index) => {
    const place = places[index]!;
    return place >= revealedFrom ? { votes: count, place } : undefined;
  });
}
