import type { Engine, Following } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import type { PollId, Reading } from '../../src/poll/poll.ts';
import { PollError } from '../../src/poll/poll-error.ts';

/**
 * The only engine double: on command it fails, stalls, loses data and stops publishing hints.
 * What it wraps stays whole: a real engine, or one poll of which a test sets every figure (`OnePoll`).
 */
export class EngineDouble {
  /** Hand this to whatever is tested. */
  readonly engine: Engine;
  /** Every call fails; `lose` also reports a lost subscription. */
  lost = false;
  /** Hints are swallowed, as pub/sub may do. */
  deaf = false;
  /** How often a poll was read. */
  reads = 0;
  /** Reads that wait to be let go, oldest first; undefined lets them through. */
  held: (() => void)[] | undefined;
  /** Topics in the order in which they were followed, and let go. */
  readonly followed: string[] = [];
  readonly unfollowed: string[] = [];
  #wait: (() => Promise<void>) | undefined;
  readonly #listeners: ((available: boolean) => void)[] = [];
  readonly #rolledBack = new Map<PollId, Reading>();

  constructor(inner: Engine) {
    const { polls, hints, records, comments } = engineWith(inner, {
      polls: {
        find: id => this.#find(inner, id),
      },
      hints: {
        follow: (topic, listener) => this.#follow(inner, topic, listener),
        onAvailability: listener => {
          this.#listeners.push(listener);
          inner.hints.onAvailability(listener);
        },
      },
    });
    this.engine = {
      polls: this.#failing(polls, ['find']),
      hints: this.#failing(hints, ['follow', 'onAvailability']),
      records: this.#failing(records),
      comments: this.#failing(comments),
      events: inner.events && this.#failing(inner.events),
      archive: inner.archive,
      castBallot: ballot => this.engine.polls.cast(ballot),
      checkHealth: async () => {
        await this.engine.polls.now();
        return inner.checkHealth();
      },
      describe: () => inner.describe(),
      close: async () => {},
    };
  }

  lose(): void {
    this.lost = true;
    this.announce(false);
  }

  giveBack(): void {
    this.lost = false;
    this.announce(true);
  }

  /** What is said about the engine, whether it is true or not. */
  announce(available: boolean): void {
    for (const listener of this.#listeners) listener(available);
  }

  /** Reads wait until this resolves. */
  stall(wait: () => Promise<void>): void {
    this.#wait = wait;
  }

  /** From now on the engine shows the poll as it was, as after a failover to a replica that lagged. */
  rollBackTo(earlier: Reading): void {
    this.#rolledBack.set(earlier.poll.id, earlier);
  }

  /** @param spared methods that ask the engine nothing, or look for themselves */
  #failing<Port extends object>(port: Port, spared: readonly (string | symbol)[] = []): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function' || spared.includes(name)) return method;
        return (...args: unknown[]) =>
          this.lost
            ? Promise.reject(new PollError('engine_unavailable'))
            : Reflect.apply(method, target, args);
      },
    });
  }

  #follow(inner: Engine, topic: string, listener: () => void): Following {
    const { ready, unfollow } = inner.hints.follow(topic, () => !this.deaf && listener());
    this.followed.push(topic);
    return {
      ready,
      unfollow: () => {
        this.unfollowed.push(topic);
        unfollow();
      },
    };
  }

  /** Fails, or finds, what stood at the moment of asking, however long it is held. */
  async #find(inner: Engine, id: PollId): Promise<Reading | undefined> {
    this.reads += 1;
    const { lost } = this;
    if (this.#wait) await this.#wait();
    const earlier = this.#rolledBack.get(id);
    const found = lost || earlier ? earlier : inner.polls.find(id);
    if (this.held) await new Promise<void>(done => this.held?.push(done));
    if (lost) throw new PollError('engine_unavailable');
    return earlier ? { ...earlier } : found;
  }
}
