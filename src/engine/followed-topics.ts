import type { Hints } from './hints.ts';

/** The contract's bound on staleness where every hint is lost, less the time that a look takes. */
const SWEEP_INTERVAL_MS = 2_000;
/** Names in one look of the sweep: that many the engine is asked about at once, and no more. */
const BATCH = 500;

/** What is kept about one name that somebody follows. */
export interface FollowedTopic<Mark> {
  /** Nobody follows at the moment. */
  readonly isEmpty: boolean;

  /** Something may have changed: read it again. MUST NOT throw, and MUST conflate, because it may come often. */
  requestRefresh(): void;

  /** Repairs what lost hints left behind. MUST request a refresh if the mark says that something has changed. */
  sweep(mark: Mark): void;

  /** Nobody follows any more, for good. */
  close(): void;
}

export interface FollowedTopicsOptions<Mark> {
  readonly hints: Pick<Hints, 'follow' | 'onAvailability'>;
  readonly topicOf: (name: string) => string;
  /** Where each of these names stands now, in order, at most 500 of them. MUST be cheap: it is the sweep. */
  readonly findMarks: (names: readonly string[]) => Promise<readonly Mark[]>;
  /** Told why a sweep failed; all are read again then. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Milliseconds between two sweeps, at most; default 2,000. */
  readonly sweepIntervalMs?: number | undefined;
}

/**
 * What this process follows, by name: the one mechanism for polls, shows and comments. A name's topic is followed first and
 * read then; each hint asks for another reading; a sweep every two seconds finds what lost hints left behind, in batches,
 * one after the other, so that it never fills the engine's queue; and when the engine is back, all are read again. A topic
 * that nobody followed at two sweeps in a row is let go, so that a page that reloads costs the engine nothing.
 */
export class FollowedTopics<Topic extends FollowedTopic<Mark>, Mark> {
  readonly #options: FollowedTopicsOptions<Mark>;
  readonly #followed = new Map<string, { readonly topic: Topic; readonly unfollow: () => void }>();
  /** Names that were empty at the last sweep. */
  readonly #lingering = new Set<string>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: FollowedTopicsOptions<Mark>) {
    this.#options = options;
    // Lost, too: what reads now learns that it cannot.
    options.hints.onAvailability(() => this.#wakeAll());
  }

  /** @param create makes what is kept about the name, the first time; read nothing of it before `ready` */
  follow(name: string, create: (ready: Promise<void>) => Topic): Topic {
    return this.#followed.get(name)?.topic ?? this.#begin(name, create);
  }

  /** What is kept about each name that is followed, or was until a moment ago. */
  get topics(): readonly Topic[] {
    return [...this.#followed.values()].map(({ topic }) => topic);
  }

  close(): void {
    clearTimeout(this.#sweeping);
    this.#sweeping = undefined;
    for (const name of [...this.#followed.keys()]) this.#letGo(name);
  }

  #begin(name: string, create: (ready: Promise<void>) => Topic): Topic {
    const { hints, topicOf } = this.#options;
    const { ready, unfollow } = hints.follow(topicOf(name), () => topic.requestRefresh());
    const topic = create(ready);
    this.#followed.set(name, { topic, unfollow });
    this.#scheduleSweep();
    return topic;
  }

  #letGo(name: string): void {
    const followed = this.#followed.get(name);
    this.#followed.delete(name);
    this.#lingering.delete(name);
    followed?.unfollow();
    followed?.topic.close();
  }

  #scheduleSweep(): void {
    if (this.#sweeping || this.#followed.size === 0) return;
    // Processes that were started together must not ask together.
    const { sweepIntervalMs = SWEEP_INTERVAL_MS } = this.#options;
    const delayMs = sweepIntervalMs * (0.75 + Math.random() * 0.25);
    this.#sweeping = setTimeout(() => void this.#sweep(), delayMs).unref();
  }

  async #sweep(): Promise<void> {
    this.#letGoOfEmpty();
    const names = [...this.#followed.keys()];
    try {
      for (let start = 0; start < names.length; start += BATCH)
        await this.#sweepBatch(names.slice(start, start + BATCH));
    } catch (error) {
      this.#options.onError?.(error);
      this.#wakeAll();
    }
    this.#sweeping = undefined;
    this.#scheduleSweep();
  }

  async #sweepBatch(names: readonly string[]): Promise<void> {
    const marks = await this.#options.findMarks(names);
    for (const [index, name] of names.entries()) this.#followed.get(name)?.topic.sweep(marks[index] as Mark);
  }

  #wakeAll(): void {
    for (const { topic } of this.#followed.values()) topic.requestRefresh();
  }

  #letGoOfEmpty(): void {
    for (const [name, { topic }] of this.#followed) {
      if (!topic.isEmpty) this.#lingering.delete(name);
      else if (this.#lingering.has(name)) this.#letGo(name);
      else this.#lingering.add(name);
    }
  }
}
