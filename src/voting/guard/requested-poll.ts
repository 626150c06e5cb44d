import type { Polls } from '../../engine/polls.ts';
import type { Reading } from '../../poll/poll.ts';
import { Refusal } from './refusal.ts';

/** A poll's id in a path; anything else of that length is no poll's. */
export const POLL_PATH = '/:id(^[0-9A-Za-z]{12}$)';

export interface PollParams {
  readonly Params: { readonly id: string };
}

/** @throws Refusal where there is no such poll */
export async function readPoll(polls: Polls, id: string): Promise<Reading> {
  const reading = await polls.find(id);
  if (!reading) throw new Refusal('poll_not_found');
  return reading;
}
