import type { Engine } from '../../src/engine/engine.ts';
import type { Following } from '../../src/engine/hints.ts';
import type { Revision } from '../../src/engine/polls.ts';
import type { Reading } from '../../src/poll/poll.ts';
import { PollError } from '../../src/poll/poll-error.ts';

export const POLL_ID = 'stubbedPoll1';
export const KEYS = { adminKeyHash: 'a'.repeat(64), viewKeyHash: 'b'.repeat(64) };

/** An engine of one poll whose state a test sets outright, and whose reads it may hold back. */
export class EngineStub {
  reading: Reading | undefined = readingOf({});
  lost = false;
  reads = 0;
  readonly followed: string[] = [];
  readonly unfollowed: string[] = [];
  /** Held reads, oldest first; undefined lets them through. */
  held: (() => void)[] | undefined;
  announce: (available: boolean) => void = () => {};
  readonly #listeners = new Map<string, Set<() => void>>();

  get engine(): Engine {
    const stub = {
      polls: {
        find: () => this.#find(),
        findRevisions: async (ids: readonly string[]) => {
          if (this.lost) throw new PollError('engine_unavailable');
          return ids.map(id => (id === POLL_ID ? this.#revision() : undefined));
        },
        renewEpoch: async (_: string, seen: { epoch: number; version: number }) => {
          this.set({ epoch: seen.epoch + 1, version: seen.version + 1 });
        },
      },
      hints: {
        follow: (topic: string, listener: () => void) => this.#follow(topic, listener),
        onAvailability: (listener: (available: boolean) => void) => {
          this.announce = listener;
        },
      },
    };
    return stub as unknown as Engine;
  }

  hint(topic: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener();
  }

  set(changes: Partial<Reading['results']>, keys: Partial<Reading['keys']> = {}): void {
    if (!this.reading) return;
    const { results, ...rest } = this.reading;
    this.reading = { ...rest, keys: { ...rest.keys, ...keys }, results: { ...results, ...changes } };
  }

  /** One more ballot. */
  vote(): void {
    const { version = 0, votes = [] } = this.reading?.results ?? {};
    this.set({
      version: version + 1,
      votes: [(votes[0] ?? 0) + 1, votes[1] ?? 0],
      totalVoters: (votes[0] ?? 0) + 1,
    });
  }

  #follow(topic: string, listener: () => void): Following {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    this.followed.push(topic);
    return {
      ready: Promise.resolve(),
      unfollow: () => {
        if (listeners.delete(listener)) this.unfollowed.push(topic);
      },
    };
  }

  #revision(): Revision | undefined {
    if (!this.reading) return undefined;
    const { epoch, version, deadlineMs, readAtMs } = this.reading.results;
    return { epoch, version, deadlineMs, readAtMs };
  }

  async #find(): Promise<Reading | undefined> {
    this.reads += 1;
    const { lost, reading } = this;
    if (this.held) await new Promise<void>(done => this.held?.push(done));
    if (lost) throw new PollError('engine_unavailable');
    return reading;
  }
}

export function readingOf(results: Partial<Reading['results']>): Reading {
  const flags = {
    priv: false,
    co: false,
    ma: false,
    mip: true,
    enter_name: false,
    only_reg: false,
    vpn: true,
  };
  return {
    poll: {
      id: POLL_ID,
      title: 'Stubbed',
      description: '',
      answers: [
        { id: 'one', text: 'One' },
        { id: 'two', text: 'Two' },
      ],
      settings: { ...flags, has_image: false },
      image: null,
      createdAtMs: 0,
    },
    keys: KEYS,
    results: {
      version: 1,
      epoch: 1,
      votes: [0, 0],
      totalVoters: 0,
      status: 'open',
      deadlineMs: null,
      resultsVisibility: 'always',
      readAtMs: 1_000_000,
      ...results,
    },
  };
}
