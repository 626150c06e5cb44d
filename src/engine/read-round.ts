import { areResultsPublic, idOfRound, type Reading } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import type { Polls } from './engine.ts';

/**
 * Reads a round as its poll's readers see it: an earlier one is visible whenever the present one is.
 *
 * @param reading of the present round
 * @throws PollError `round_not_found`
 */
export async function readRound(
  polls: Pick<Polls, 'find'>,
  reading: Reading,
  round: number | undefined,
): Promise<Reading> {
  const { poll, keys } = reading;
  if (round === undefined || round === (poll.round ?? 1)) return reading;
  const earlier = round < (poll.round ?? 1) ? await polls.find(idOfRound(poll.id, round)) : undefined;
  if (!earlier) throw new PollError('round_not_found');
  const seen = areResultsPublic(reading.results)
    ? { resultsVisibility: 'always' as const, revealedFrom: undefined }
    : { resultsVisibility: 'hidden' as const };
  return { ...earlier, keys, results: { ...earlier.results, ...seen } };
}
