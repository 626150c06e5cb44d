import { DefinitionCache } from '../../engine/definition-cache.ts';
import type { Polls } from '../../engine/polls.ts';
import { type Read, shareReads } from '../../engine/shared-read.ts';
import type { Poll, PollId, Reading } from '../../poll/poll.ts';
import { Refusal } from '../guard/refusal.ts';

/** Milliseconds between two reads of one poll, where all of an audience comes for its page in the same second. */
const REST_MS = 25;

/**
 * Reads polls for their pages: those that are opened in the same moment share one read. What never changes of a poll is
 * remembered, so that a ballot need not ask for it again.
 */
export class KnownPolls {
  readonly #read: Read;
  readonly #known = new DefinitionCache<{ readonly poll: Poll }>();

  constructor(polls: Polls) {
    this.#read = shareReads(id => polls.find(id), REST_MS);
  }

  /** As it is now, for a page that says itself that there is none. */
  find(id: PollId): Promise<Reading | undefined> {
    return this.#read(id);
  }

  /** As it is now. @throws Refusal where there is no such poll */
  async read(id: PollId): Promise<Reading> {
    const reading = await this.#read(id);
    if (!reading) throw new Refusal('poll_not_found');
    if (this.#known.get(id)?.poll !== reading.poll) this.#known.set(id, { poll: reading.poll });
    return reading;
  }

  /** As it was created; it may have been removed since. @throws Refusal where there is no such poll */
  async readDefinition(id: PollId): Promise<Poll> {
    return this.#known.get(id)?.poll ?? (await this.read(id)).poll;
  }
}
