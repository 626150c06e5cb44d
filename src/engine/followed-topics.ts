import type { Hints } from './engine.ts';

/** Bounds how stale a value is if every hint is lost. */
const SWEEP_INTERVAL_MS = 2_000;
const BATCH = 500;

export interface FollowedTopic<Mark> {
  readonly isEmpty: boolean;

  /** The value may have changed: requests a read. MUST NOT throw, and MUST conflate, because hints come often. */
  requestRefresh(): void;

  /** Called by the sweep with the present mark. MUST request a read if it has changed. */
  sweep(mark: Mark): void;

  close(): void;
}

export interface FollowedTopicsOptions<Mark> {
  readonly hints: Pick<Hints, 'follow' | 'onAvailability'>;
  /** Default: the name itself. */
  readonly topicOf?: ((name: string) => string) | undefined;
  /** For each of at most 500 names, in order, something that changes with its value. MUST be cheap. */
  readonly findMarks: (names: readonly string[]) => Promise<readonly Mark[]>;
  /** Called if a sweep fails; every name is read again then. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Milliseconds between two sweeps, at most; default 2,000. */
  readonly sweepIntervalMs?: number | undefined;
}

/**
 * The names that this process follows: the one mechanism for polls, shows and comments. Each hint
 * requests a read, so does an engine that is lost or back, and a sweep every two seconds repairs
 * lost hints. The sweep asks for one batch after the other, so that it never fills the engine's
 * queue. A name that is empty at two sweeps in a row is no longer followed, so that a page that
 * reloads costs the engine nothing.
 */
export class FollowedTopics<Topic extends FollowedTopic<Mark>, Mark> {
  readonly #options: FollowedTopicsOptions<Mark>;
  readonly #followed = new Map<string, { readonly topic: Topic; readonly unfollow: () => void }>();
  readonly #empty = new Set<string>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: FollowedTopicsOptions<Mark>) {
    this.#options = options;
    // Also when the engine is lost: a read then shows that it is.
    options.hints.onAvailability(() => this.#refreshAll());
  }

  /** @param create makes the state of a new name; MUST read nothing before `ready` */
  follow(name: string, create: (ready: Promise<void>) => Topic): Topic {
    return this.#followed.get(name)?.topic ?? this.#begin(name, create);
  }

  get topics(): readonly Topic[] {
    return [...this.#followed.values()].map(({ topic }) => topic);
  }

  close(): void {
    clearTimeout(this.#sweeping);
    this.#sweeping = undefined;
    for (const name of [...this.#followed.keys()]) this.#end(name);
  }

  #begin(name: string, create: (ready: Promise<void>) => Topic): Topic {
    const { hints, topicOf = name => name } = this.#options;
    const { ready, unfollow } = hints.follow(topicOf(name), () => topic.requestRefresh());
    const topic = create(ready);
    this.#followed.set(name, { topic, unfollow });
    this.#scheduleSweep();
    return topic;
  }

  #end(name: string): void {
    const followed = this.#followed.get(name);
    this.#followed.delete(name);
    this.#empty.delete(name);
    followed?.unfollow();
    followed?.topic.close();
  }

  #scheduleSweep(): void {
    if (this.#sweeping || this.#followed.size === 0) return;
    // Random, so that processes that started together do not sweep together.
    const { sweepIntervalMs = SWEEP_INTERVAL_MS } = this.#options;
    const delayMs = sweepIntervalMs * (0.75 + Math.random() * 0.25);
    this.#sweeping = setTimeout(() => void this.#sweep(), delayMs).unref();
  }

  async #sweep(): Promise<void> {
    this.#endEmpty();
    const names = [...this.#followed.keys()];
    try {
      for (let start = 0; start < names.length; start += BATCH) {
        const batch = names.slice(start, start + BATCH);
        const marks = await this.#options.findMarks(batch);
        for (const [index, name] of batch.entries())
          this.#followed.get(name)?.topic.sweep(marks[index] as Mark);
      }
    } catch (error) {
      this.#options.onError?.(error);
      this.#refreshAll();
    }
    this.#sweeping = undefined;
    this.#scheduleSweep();
  }

  #refreshAll(): void {
    for (const { topic } of this.#followed.values()) topic.requestRefresh();
  }

  #endEmpty(): void {
    for (const [name, { topic }] of this.#followed) {
      if (!topic.isEmpty) this.#empty.delete(name);
      else if (this.#empty.has(name)) this.#end(name);
      else this.#empty.add(name);
    }
  }
}

export interface FollowedValuesOptions<Value> extends FollowedTopicsOptions<string | undefined> {
  /** Reads the present values of these names, in order. If it fails, the next sweep reads again. */
  readonly read: (names: readonly string[]) => Promise<readonly Value[]>;
  /** Default: `Object.is`. */
  readonly isSame?: ((one: Value, other: Value) => boolean) | undefined;
  readonly batch?: number | undefined;
  /**
   * Least milliseconds between two reads of one name; default 0. For values that ballots change, it MUST exceed
   * `HINT_WINDOW_MS`: a changed value is read once more after the pause.
   */
  readonly pauseMs?: number | undefined;
}

/**
 * Calls each follower with the newest value and after each change. One read is in progress at a
 * time, of many names.
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

  /** @param follower MUST NOT throw @returns ends the calls */
  follow(name: string, follower: (value: Value) => void): () => void {
    const create = (ready: Promise<void>) =>
      new FollowedValue(name, ready, this.#options, value => this.#requestRead(value));
    return this.#topics.follow(name, create).add(follower);
  }

  close(): void {
    this.#topics.close();
    this.#due.clear();
  }

  #requestRead(value: FollowedValue<Value>): void {
    this.#due.add(value);
    if (this.#isReading) return;
    this.#isReading = true;
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
      value.beginRead();
    }
    try {
      const values = await this.#options.read(batch.map(({ name }) => name));
      for (const [index, value] of batch.entries()) value.endRead(values[index] as Value);
    } catch (error) {
      for (const value of batch) value.failRead();
      this.#options.onError?.(error);
    }
  }
}

/** States: idle → reading → pausing if there is a pause → idle. Changes meanwhile cause one more read. */
class FollowedValue<Value> implements FollowedTopic<string | undefined> {
  readonly name: string;
  readonly #ready: Promise<void>;
  readonly #options: Pick<FollowedValuesOptions<Value>, 'isSame' | 'pauseMs'>;
  readonly #requestRead: (value: FollowedValue<Value>) => void;
  readonly #followers = new Set<(value: Value) => void>();
  #known: { readonly value: Value } | undefined;
  /** At the sweep before the last read; null if unknown. */
  #mark: string | undefined | null = null;
  #state: 'idle' | 'reading' | 'pausing' = 'idle';
  #changed = false;
  #pause: NodeJS.Timeout | undefined;

  constructor(
    name: string,
    ready: Promise<void>,
    options: Pick<FollowedValuesOptions<Value>, 'isSame' | 'pauseMs'>,
    requestRead: (value: FollowedValue<Value>) => void,
  ) {
    this.name = name;
    this.#ready = ready;
    this.#options = options;
    this.#requestRead = requestRead;
  }

  get isEmpty(): boolean {
    return this.#followers.size === 0;
  }

  add(listener: (value: Value) => void): () => void {
    // A function of its own, so that one listener may follow twice.
    const follower = (value: Value) => listener(value);
    this.#followers.add(follower);
    if (this.#known) follower(this.#known.value);
    // Only after the subscription holds: a change after this read is hinted.
    void this.#ready.then(() => this.requestRefresh());
    return () => {
      this.#followers.delete(follower);
      if (!this.isEmpty) return;
      // Without followers it is not read, so it may change unnoticed.
      this.#known = undefined;
      this.#mark = null;
    };
  }

  requestRefresh(): void {
    if (this.isEmpty) return;
    this.#changed = true;
    if (this.#state !== 'idle') return;
    this.#state = 'reading';
    this.#requestRead(this);
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

  beginRead(): void {
    this.#changed = false;
  }

  endRead(value: Value): void {
    const { isSame = Object.is, pauseMs } = this.#options;
    const isNew = !this.#known || !isSame(this.#known.value, value);
    // Ballots right after a hint publish none: see `HINT_WINDOW_MS`.
    if (isNew && pauseMs) this.#changed = true;
    if (isNew && !this.isEmpty) {
      this.#known = { value };
      for (const follower of this.#followers) follower(value);
    }
    this.#rest();
  }

  failRead(): void {
    this.#mark = null;
    this.#rest();
  }

  #rest(): void {
    const { pauseMs } = this.#options;
    this.#state = 'pausing';
    if (pauseMs) this.#pause = setTimeout(() => this.#endRest(), pauseMs).unref();
    else this.#endRest();
  }

  #endRest(): void {
    this.#state = 'idle';
    if (this.#changed) this.requestRefresh();
  }
}
