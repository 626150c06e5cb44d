import { LRUCache } from 'lru-cache';
import { definitionCache } from '../../engine/definition-cache.ts';
import type { Engine } from '../../engine/engine.ts';
import { readRound } from '../../engine/read-round.ts';
import { coalesceReads, type Read } from '../../engine/shared-read.ts';
import { type AnswerId, hasBallots, type Poll, type PollId, type Reading } from '../../poll/poll.ts';
import { PollError } from '../../poll/poll-error.ts';
import { Rejection } from './rejection.ts';

export const POLL_PATH = '/:id(^[0-9A-Za-z]{12}$)';

export interface PollParams {
  readonly Params: { readonly id: string };
}

/** Milliseconds between two reads of one poll, when a whole audience opens its page in the same second. */
const REST_MS = 25;
/** Unknown ids are answered from memory for this long. A poll that is restored meanwhile appears that much later. */
const UNKNOWN_MS = 250;
const MAX_UNKNOWN = 10_000;

/**
 * Reads polls for pages. Concurrent requests share one read. Definitions are cached once their
 * rules are fixed, by the first ballot, so the ballots after it need no read.
 */
export class KnownPolls {
  readonly #polls: Engine['polls'];
  readonly #read: Read;
  readonly #definitions = definitionCache<{ readonly poll: Poll }>();
  readonly #unknown = new LRUCache<PollId, { readonly untilMs: number; readonly isDeleted: boolean }>({
    max: MAX_UNKNOWN,
  });

  constructor({ polls, events }: Pick<Engine, 'polls' | 'events'>) {
    this.#polls = polls;
    this.#read = coalesceReads(async id => {
      const reading = await polls.find(id);
      if (!reading) {
        const isDeleted = await events.wasDeleted(id);
        this.#unknown.set(id, { untilMs: performance.now() + UNKNOWN_MS, isDeleted });
      }
      return reading;
    }, REST_MS);
  }

  async find(id: PollId): Promise<Reading | undefined> {
    const unknown = this.#unknown.get(id);
    return unknown && performance.now() < unknown.untilMs ? undefined : this.#read(id);
  }

  async read(id: PollId): Promise<Reading> {
    const reading = await this.find(id);
    if (!reading)
      throw new Rejection('poll_not_found', { isDeleted: this.#unknown.get(id)?.isDeleted ?? false });
    if (hasBallots(reading.results) && this.#definitions.get(id)?.poll !== reading.poll)
      this.#definitions.set(id, { poll: reading.poll });
    return reading;
  }

  /**
   * @param round of an address, undefined for the present one
   * @throws Rejection `page_not_found` without such a round
   */
  async readRound(present: Reading, round: unknown): Promise<Reading> {
    try {
      return await readRound(this.#polls, present, round === undefined ? undefined : Number(round));
    } catch (error) {
      throw error instanceof PollError ? new Rejection('page_not_found') : error;
    }
  }

  /**
   * Returns the cached definition, whose texts may have been corrected and whose poll may be
   * deleted meanwhile. Reads it again if it lacks one of the chosen answers, which a correction may
   * have added, or has another round than the form.
   *
   * @throws Rejection for an unknown poll
   */
  async readDefinition(
    id: PollId,
    { answers, round }: { readonly answers: readonly AnswerId[]; readonly round: number },
  ): Promise<Poll> {
    const known = this.#definitions.get(id)?.poll;
    const isKnown = (answerId: AnswerId) => known?.answers.some(answer => answer.id === answerId);
    return known && (known.round ?? 1) === round && answers.every(isKnown)
      ? known
      : (await this.read(id)).poll;
  }
}
