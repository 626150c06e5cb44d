export interface LruBound<V> {
  readonly entries: number;
  /** In bytes, or whatever else `weigh` counts. */
  readonly weight?: number | undefined;
  /** MUST give the same for the same value; default 0. */
  readonly weigh?: ((value: V) => number) | undefined;
}

/** A map with a bound: at the bound, what was not asked for the longest goes. */
export class LruMap<K, V> {
  readonly #bound: LruBound<V>;
  // A Map iterates in the order of insertion, so its first key is always the one to go.
  readonly #entries = new Map<K, V>();
  /** Asked for last: most of what is asked for is, and to move an entry costs a Map a new table now and then. */
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

  /** What is heavier than the whole bound is not held at all. */
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
