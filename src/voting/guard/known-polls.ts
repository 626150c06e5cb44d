import { DefinitionCache } from '../../engine/definition-cache.ts';
import { LruMap } from '../../engine/lru-map.ts';
import type { Polls } from '../../engine/polls.ts';
import { coalesceReads, type Read } from '../../engine/shared-read.ts';
import type { Poll, PollId, Reading } from '../../poll/poll.ts';
import { Rejection } from './rejection.ts';

/** Milliseconds between two reads of one poll, where all of an audience comes for its page in the same second. */
const REST_MS = 25;
/** Requests for a poll that does not exist are answered from memory for so long, so a poll restored meanwhile stays hidden no longer. */
const MISSING_MS = 250;
const MOST_MISSING = 10_000;

/**
 * Reads polls for pages: those that are opened in the same moment share one read. What never changes of a poll is
 * remembered, so that a ballot need not ask for it again.
 */
export class KnownPolls {
  readonly #read: Read;
  readonly #known = new DefinitionCache<{ readonly poll: Poll }>();
  /** Ids of no poll, and until when that is taken for granted. */
  readonly #missing = new LruMap<PollId, number>({ entries: MOST_MISSING });

  constructor(polls: Polls) {
    this.#read = coalesceReads(async id => {
      const reading = await polls.find(id);
      if (!reading) this.#missing.set(id, performance.now() + MISSING_MS);
      return reading;
    }, REST_MS);
  }

  /** As it is now, for a page that says itself that there is none. */
  async find(id: PollId): Promise<Reading | undefined> {
    return performance.now() < (this.#missing.get(id) ?? 0) ? undefined : this.#read(id);
  }

  /** As it is now. @throws Refusal where there is no such poll */
  async read(id: PollId): Promise<Reading> {
    const reading = await this.find(id);
    if (!reading) throw new Rejection('poll_not_found');
    if (this.#known.get(id)?.poll !== reading.poll) this.#known.set(id, { poll: reading.poll });
    return reading;
  }

  /** As it was created; it may have been removed since. @throws Refusal where there is no such poll */
  async readDefinition(id: PollId): Promise<Poll> {
    return this.#known.get(id)?.poll ?? (await this.read(id)).poll;
  }
}
