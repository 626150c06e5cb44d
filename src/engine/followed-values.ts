import { type FollowedTopic, FollowedTopics } from './followed-topics.ts';
import type { Hints } from './hints.ts';

const BATCH = 500;

export interface FollowedValuesOptions<Value> {
  readonly hints: Hints;
  readonly topicOf: (name: string) => string;
  /** The values of these names now, in order. */
  readonly read: (names: readonly string[]) => Promise<readonly Value[]>;
  /** Texts that differ whenever the values do, for the sweep. MUST be cheap. */
  readonly findMarks: (names: readonly string[]) => Promise<readonly (string | undefined)[]>;
  readonly isSame: (one: Value, other: Value) => boolean;
  /** Names in one reading, at most: that many values the engine is asked for at once; default 500. */
  readonly batch?: number | undefined;
  /**
   * Milliseconds between two readings of one name, at least; default 0. Where ballots are what changes it, more than
   * `HINT_WINDOW_MS`: what was news is read once more after the pause.
   */
  readonly pauseMs?: number | undefined;
  /** Milliseconds between two sweeps, at most; default 2,000. */
  readonly sweepIntervalMs?: number | undefined;
  /** A reading that failed. It is tried again by the next sweep. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Values that change under those who follow them: each follower is handed the newest one on coming and after each change.
 * However many names there are and however often they change, one reading is under way at a time, of many names at once.
 */
export class FollowedValues<Value> {
  readonly #options: FollowedValuesOptions<Value>;
  readonly #topics: FollowedTopics<FollowedValue<Value>, string | undefined>;
  readonly #due = new Set<FollowedValue<Value>>();
  #isReading = false;

  constructor(options: FollowedValuesOptions<Value>) {
    this.#options = options;
    this.#topics = new FollowedTopics(options);
  }

  /** @param follower MUST NOT throw @returns stops the telling */
  follow(name: string, follower: (value: Value) => void): () => void {
    const topic = this.#topics.follow(name, ready => this.#create(name, ready));
    return topic.add(follower);
  }

  close(): void {
    this.#topics.close();
    this.#due.clear();
  }

  #create(name: string, ready: Promise<void>): FollowedValue<Value> {
    const { isSame, pauseMs = 0 } = this.#options;
    return new FollowedValue({ name, ready, isSame, pauseMs, read: value => this.#read(value) });
  }

  #read(value: FollowedValue<Value>): void {
    this.#due.add(value);
    if (this.#isReading) return;
    this.#isReading = true;
    // What is asked for in one turn is read at once.
    setImmediate(() => void this.#readAll());
  }

  async #readAll(): Promise<void> {
    const { batch = BATCH } = this.#options;
    while (this.#due.size > 0) await this.#readBatch([...this.#due].slice(0, batch));
    this.#isReading = false;
  }

  async #readBatch(batch: readonly FollowedValue<Value>[]): Promise<void> {
    for (const value of batch) {
      this.#due.delete(value);
      value.beginReading();
    }
    try {
      const values = await this.#options.read(batch.map(({ name }) => name));
      for (const [index, value] of batch.entries()) value.endReading(values[index] as Value);
    } catch (error) {
      for (const value of batch) value.failReading();
      this.#options.onError?.(error);
    }
  }
}

interface FollowedValueOptions<Value> {
  readonly name: string;
  readonly ready: Promise<void>;
  readonly isSame: (one: Value, other: Value) => boolean;
  readonly pauseMs: number;
  /** Has the value read soon, with others. */
  readonly read: (value: FollowedValue<Value>) => void;
}

/**
 * States: idle → reading, from the request on → pausing, where there is a pause → idle. A change meanwhile is remembered as
 * one, and read when idle again.
 */
class FollowedValue<Value> implements FollowedTopic<string | undefined> {
  readonly name: string;
  readonly #options: FollowedValueOptions<Value>;
  readonly #followers = new Set<(value: Value) => void>();
  #known: { readonly value: Value } | undefined;
  /** What the sweep saw before the last reading; null where that is not known. */
  #mark: string | undefined | null = null;
  #state: 'idle' | 'reading' | 'pausing' = 'idle';
  #changed = false;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: FollowedValueOptions<Value>) {
    this.name = options.name;
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#followers.size === 0;
  }

  /** Followed first, read then: a change in between is hinted, so nothing can fall between the two. */
  add(listener: (value: Value) => void): () => void {
    // A function of its own, so that one listener may follow twice.
    const follower = (value: Value) => listener(value);
    this.#followers.add(follower);
    if (this.#known) follower(this.#known.value);
    void this.#options.ready.then(() => this.requestRefresh());
    return () => {
      this.#followers.delete(follower);
      // It changes behind our back now, because nobody reads it.
      if (this.isEmpty) this.#forget();
    };
  }

  requestRefresh(): void {
    if (this.isEmpty) return;
    this.#changed = true;
    if (this.#state !== 'idle') return;
    this.#state = 'reading';
    this.#options.read(this);
  }

  sweep(mark: string | undefined): void {
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.requestRefresh();
  }

  close(): void {
    clearTimeout(this.#pause);
    this.#followers.clear();
  }

  beginReading(): void {
    this.#changed = false;
  }

  endReading(value: Value): void {
    const isNews = !this.#known || !this.#options.isSame(this.#known.value, value);
    // Ballots right after the one that was hinted at are not: `HINT_WINDOW_MS`, which a pause outlasts.
    if (isNews && this.#options.pauseMs > 0) this.#changed = true;
    if (isNews && !this.isEmpty) {
      this.#known = { value };
      for (const follower of this.#followers) follower(value);
    }
    this.#rest();
  }

  failReading(): void {
    this.#mark = null;
    this.#rest();
  }

  #forget(): void {
    this.#known = undefined;
    this.#mark = null;
  }

  #rest(): void {
    const { pauseMs } = this.#options;
    this.#state = 'pausing';
    if (pauseMs === 0) this.#idle();
    else this.#pause = setTimeout(() => this.#idle(), pauseMs).unref();
  }

  #idle(): void {
    this.#state = 'idle';
    if (this.#changed) this.requestRefresh();
  }
}
