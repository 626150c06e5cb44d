import { areResultsPublic, type Results } from '../../poll/poll.ts';
import type { PublicPollState } from './on-air-message.ts';
import type { PollState } from './state-message.ts';

export function pollState(results: Results): PollState {
  const { status, deadlineMs, resultsVisibility } = results;
  return { status, deadlineMs, visible: areResultsPublic(results), resultsVisibility };
}

/** @param results undefined where the poll was deleted */
export function publicPollState(results: Results | undefined): PublicPollState {
  if (!results) return { mark: 'gone', state: null };
  const state = pollState(results);
  const { status, resultsVisibility, visible, deadlineMs } = state;
  return { mark: [status, resultsVisibility, visible, deadlineMs ?? 'never'].join('.'), state };
}
