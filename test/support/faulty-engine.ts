import type { Engine } from '../../src/engine/engine.ts';
import type { PollId, Reading } from '../../src/poll/poll.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { engineWith } from './engine-with.ts';

/** An engine that fails on command, from the side of those who ask it. What it wraps stays whole. */
export class FaultyEngine {
  /** Hand this to a relay. */
  readonly engine: Engine;
  /** Hints are swallowed, as pub/sub may do. */
  deaf = false;
  /** How often a poll was read. */
  reads = 0;
  #lost = false;
  #losing: (() => Promise<void>) | undefined;
  readonly #listeners: ((available: boolean) => void)[] = [];
  readonly #forget = new Map<PollId, Reading>();

  constructor(inner: Engine) {
    const altered = engineWith(inner, {
      polls: {
        find: id => this.#find(inner, id),
        renewEpoch: (id, seen) => this.#renew(inner, id, seen),
      },
      hints: {
        follow: (topic, listener) => inner.hints.follow(topic, () => !this.deaf && listener()),
        onAvailability: listener => {
          this.#listeners.push(listener);
          inner.hints.onAvailability(listener);
        },
      },
    });
    this.engine = {
      polls: this.#failing(altered.polls),
      hints: this.#failing(altered.hints, ['follow', 'onAvailability']),
      records: this.#failing(altered.records),
      comments: this.#failing(altered.comments),
      castBallot: ballot => this.engine.polls.cast(ballot),
      close: async () => {},
    };
  }

  lose(): void {
    this.#lost = true;
    for (const listener of this.#listeners) listener(false);
  }

  giveBack(): void {
    this.#lost = false;
    for (const listener of this.#listeners) listener(true);
  }

  /** Reads wait until this resolves. */
  stall(wait: () => Promise<void>): void {
    this.#losing = wait;
  }

  /** From now on the engine shows the poll as it was, as after a failover to a replica that lagged. */
  rollBackTo(earlier: Reading): void {
    this.#forget.set(earlier.poll.id, earlier);
  }

  /** @param spared methods that ask the engine nothing */
  #failing<Port extends object>(port: Port, spared: readonly (string | symbol)[] = []): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function' || spared.includes(name)) return method;
        return (...args: unknown[]) =>
          this.#lost
            ? Promise.reject(new PollError('engine_unavailable'))
            : Reflect.apply(method, target, args);
      },
    });
  }

  async #find(inner: Engine, id: PollId): Promise<Reading | undefined> {
    this.reads += 1;
    await this.#losing?.();
    const earlier = this.#forget.get(id);
    return earlier ? { ...earlier } : inner.polls.find(id);
  }

  async #renew(inner: Engine, id: PollId, seen: { epoch: number; version: number }): Promise<void> {
    const earlier = this.#forget.get(id);
    if (!earlier) return inner.polls.renewEpoch(id, seen);
    const results = { ...earlier.results, epoch: seen.epoch + 1, version: seen.version + 1 };
    this.#forget.set(id, { ...earlier, results });
  }
}
