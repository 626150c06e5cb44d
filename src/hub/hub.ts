import type { Engine } from '../engine/engine.ts';
import { shareReads } from './shared-read.ts';
import type { PollId, Reading } from '../poll/poll.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';
import type { Subscriber } from './subscriber.ts';
import { WatchedPoll } from './watched-poll.ts';

/** The contract's bound on staleness where every hint is lost, less the time that a pass takes. */
const SWEEP_INTERVAL_MS = 2_000;

export interface HubOptions {
  readonly engine: Engine;
  readonly isOperatorKey: IsOperatorKey;
}

/**
 * In one process: which poll is watched by which subscribers. The first subscriber in starts the watching, and the sweep
 * after the last one left ends it, so that an overlay that reloads does not make the relay subscribe anew.
 */
export class Hub {
  /** Reads a poll as fresh as a read of one's own, shared with all who ask in the same turn. */
  readonly read: (id: PollId) => Promise<Reading | undefined>;
  readonly #options: HubOptions;
  readonly #polls = new Map<PollId, WatchedPoll>();
  /** Polls that were empty at the last sweep. */
  readonly #lingering = new Set<PollId>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: HubOptions) {
    const { engine } = options;
    this.#options = options;
    this.read = shareReads(id => engine.polls.find(id));
    engine.hints.onAvailability(() => this.#wakeAll());
  }

  subscribe(id: PollId, subscriber: Subscriber): void {
    let poll = this.#polls.get(id);
    if (!poll) {
      poll = new WatchedPoll({ ...this.#options, id, read: this.read });
      this.#polls.set(id, poll);
      this.#scheduleSweep();
    }
    void poll.join(subscriber);
  }

  unsubscribe(id: PollId, subscriber: Subscriber): void {
    this.#polls.get(id)?.leave(subscriber);
  }

  close(): void {
    clearTimeout(this.#sweeping);
    this.#sweeping = undefined;
    for (const poll of this.#polls.values()) poll.letGo();
    this.#polls.clear();
  }

  #wakeAll(): void {
    for (const poll of this.#polls.values()) poll.wake();
  }

  #scheduleSweep(): void {
    if (this.#sweeping || this.#polls.size === 0) return;
    // Relays that were started together must not ask together.
    const delayMs = SWEEP_INTERVAL_MS * (0.75 + Math.random() * 0.25);
    this.#sweeping = setTimeout(() => void this.#sweep(), delayMs).unref();
  }

  async #sweep(): Promise<void> {
    this.#dropEmpty();
    const ids = [...this.#polls.keys()];
    try {
      const revisions = await this.#options.engine.polls.findRevisions(ids);
      for (const [index, id] of ids.entries()) this.#polls.get(id)?.sweep(revisions[index]);
    } catch {
      this.#wakeAll();
    }
    this.#sweeping = undefined;
    this.#scheduleSweep();
  }

  #dropEmpty(): void {
    for (const [id, poll] of this.#polls) {
      if (!poll.isEmpty) this.#lingering.delete(id);
      else if (!this.#lingering.has(id)) this.#lingering.add(id);
      else this.#drop(id, poll);
    }
  }

  #drop(id: PollId, poll: WatchedPoll): void {
    this.#lingering.delete(id);
    this.#polls.delete(id);
    poll.letGo();
  }
}
