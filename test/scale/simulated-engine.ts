import { type Engine, HINT_WINDOW_MS } from '../../src/engine/engine.ts';
import type { PollId, Reading } from '../../src/poll/poll.ts';
import { POLL_ID, readingOf } from '../support/one-poll.ts';
import type { SimulatedTime } from './simulated-time.ts';

export interface Network {
  /** One way, in milliseconds, at least and at most. */
  readonly delayMs: readonly [number, number];
  /** Hints that never arrive, 0 to 1. */
  readonly lost: number;
}

/** What one relay has asked of the engine and heard from it. Times in milliseconds. */
export interface Traffic {
  readonly readsAtMs: number[];
  hints: number;
  looks: number;
}

/** One poll on an engine that relays reach over a network. It publishes hints as seldom as the contract demands. */
export class SimulatedEngine {
  readonly publishedAtMs: number[] = [];
  reading: Reading = readingOf({});
  readonly #time: SimulatedTime;
  readonly #network: Network;
  readonly #listeners = new Set<() => void>();

  constructor(time: SimulatedTime, network: Network) {
    this.#time = time;
    this.#network = network;
  }

  /** So many ballots at once. */
  cast(count: number): void {
    const { results, ...rest } = this.reading;
    const first = Math.floor(count * 0.6);
    const [one = 0, two = 0] = results.votes;
    const votes = [one + first, two + count - first];
    const totalVoters = results.totalVoters + count;
    this.reading = { ...rest, results: { ...results, votes, totalVoters, version: results.version + count } };
    const lastMs = this.publishedAtMs.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (this.#time.nowMs - lastMs < HINT_WINDOW_MS) return;
    this.publishedAtMs.push(this.#time.nowMs);
    for (const listener of this.#listeners) listener();
  }

  /** The engine as one relay sees it. */
  connect(traffic: Traffic): Engine {
    const polls = {
      find: async (_: PollId) => {
        traffic.readsAtMs.push(this.#time.nowMs);
        return this.#ask(() => ({
          ...this.reading,
          results: { ...this.reading.results, readAtMs: this.#time.nowMs },
        }));
      },
      findRevisions: async (ids: readonly string[]) => {
        traffic.looks += 1;
        return this.#ask(() => ids.map(id => (id === POLL_ID ? this.reading.results : undefined)));
      },
    };
    const hints = {
      follow: (_: string, listener: () => void) => this.#follow(traffic, listener),
      onAvailability: () => {},
    };
    return { polls, hints, records: {}, comments: {} } as unknown as Engine;
  }

  #follow(traffic: Traffic, listener: () => void) {
    const hear = () => {
      traffic.hints += 1;
      listener();
    };
    const hint = () => {
      if (this.#time.random() < this.#network.lost) return;
      this.#time.after(this.#delayMs(), () => this.#listeners.has(hint) && hear());
    };
    const ready = this.#ask(() => void this.#listeners.add(hint));
    return { ready, unfollow: () => void this.#listeners.delete(hint) };
  }

  /** There and back; answered as things stand when the question arrives. */
  #ask<Answer>(answer: () => Answer): Promise<Answer> {
    return new Promise(done => {
      this.#time.after(this.#delayMs(), () => {
        const found = answer();
        this.#time.after(this.#delayMs(), () => done(found));
      });
    });
  }

  #delayMs(): number {
    return this.#time.between(...this.#network.delayMs);
  }
}
