import { charactersOf } from '../poll/correct-poll.ts';
import type { Poll, PollId } from '../poll/poll.ts';

export interface LruBound<V> {
  readonly entries: number;
  readonly weight?: number | undefined;
  /** MUST be constant for a value; default 0. */
  readonly weigh?: ((value: V) => number) | undefined;
}

/** A map with a bound. Beyond it, the least recently used entry is evicted. */
export class LruMap<K, V> {
  readonly #bound: LruBound<V>;
  // A Map iterates in the order of insertion: its first key is the least recently used.
  readonly #entries = new Map<K, V>();
  /** Usually the next to be read again, and moving an entry costs a Map a new table now and then. */
  #newest: K | undefined;
  #weight = 0;

  constructor(bound: LruBound<V>) {
    this.#bound = bound;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined || key === this.#newest) return value;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    return value;
  }

  /** A value heavier than the bound is not kept. */
  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    this.#weight += this.#weigh(value);
    const { entries, weight = Number.POSITIVE_INFINITY } = this.#bound;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entries && this.#weight <= weight) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value !== undefined && this.#entries.delete(key)) this.#weight -= this.#weigh(value);
  }

  #weigh(value: V): number {
    return this.#bound.weigh?.(value) ?? 0;
  }
}

const MAX_DEFINITIONS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Two for the text itself, and as many for what is sent of it. */
const BYTES_PER_CHARACTER = 4;
const BYTES_PER_ANSWER = 150;
const BYTES_PER_POLL = 500;

/** Definitions of polls, current as long as a read has their edition. Bounded by bytes too, because a poll may take 76 KB; the estimate is right to a tenth. */
export class DefinitionCache<Definition extends { readonly poll: Poll }> extends LruMap<PollId, Definition> {
  constructor() {
    super({ entries: MAX_DEFINITIONS, weight: MAX_BYTES, weigh: ({ poll }) => bytesOf(poll) });
  }
}

function bytesOf({ title, description, image, answers, earlier = [] }: Poll): number {
  let characters = title.length + description.length + (image?.length ?? 0);
  for (const { id, text } of answers) characters += id.length + text.length;
  for (const wording of earlier) characters += charactersOf(wording);
  return characters * BYTES_PER_CHARACTER + answers.length * BYTES_PER_ANSWER + BYTES_PER_POLL;
}
