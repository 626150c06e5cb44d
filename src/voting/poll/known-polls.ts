import { DefinitionCache } from '../../engine/definition-cache.ts';
import type { Polls } from '../../engine/polls.ts';
import type { Poll, PollId, Reading } from '../../poll/poll.ts';
import { readPoll } from '../guard/requested-poll.ts';

/** Reads polls for their pages, and remembers what never changes of them: a ballot need not ask for it again. */
export class KnownPolls {
  readonly #polls: Polls;
  readonly #known = new DefinitionCache<{ readonly poll: Poll }>();

  constructor(polls: Polls) {
    this.#polls = polls;
  }

  /** As it is now. @throws Refusal where there is no such poll */
  async read(id: PollId): Promise<Reading> {
    const reading = await readPoll(this.#polls, id);
    if (this.#known.get(id)?.poll !== reading.poll) this.#known.set(id, { poll: reading.poll });
    return reading;
  }

  /** As it was created; it may have been removed since. @throws Refusal where there is no such poll */
  async readDefinition(id: PollId): Promise<Poll> {
    return this.#known.get(id)?.poll ?? (await this.read(id)).poll;
  }
}
