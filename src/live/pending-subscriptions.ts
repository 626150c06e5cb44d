import { nextTurn, SLICE } from './rate-group.ts';
import type { Subscription } from './subscription.ts';

/** Milliseconds from one read to the next. At 50 ms a pending subscription has left the caches, and activating it costs a sixth more. */
export const READ_INTERVAL_MS = 20;
/** So many do not wait for the interval to end: activating them costs a dozen times what a read does. */
export const CROWD = 64;

export interface PendingSubscriptionsOptions {
  /** Resolves once hints arrive: what is read from then on misses nothing. */
  readonly ready: Promise<void>;
  /** Reads the poll for these and all others. MUST NOT reject. */
  readonly read: (pending: readonly Subscription[]) => Promise<void>;
  /** Sends the first message. */
  readonly activate: (subscription: Subscription) => void;
}

/**
 * Subscriptions that wait for their first message. They share a read that begins after all of them: one for each turn of the event
 * loop, and in a crowd one for each interval or `CROWD`, whichever is sooner.
 */
export class PendingSubscriptions {
  readonly #options: PendingSubscriptionsOptions;
  readonly #waiting = new Set<Subscription>();
  #isActivating = false;
  #endInterval: (() => void) | undefined;

  constructor(options: PendingSubscriptionsOptions) {
    this.#options = options;
  }

  get subscriptions(): readonly Subscription[] {
    return [...this.#waiting];
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(subscription: Subscription): void {
    this.#waiting.add(subscription);
    if (!this.#isActivating) void this.#activateAll();
    else if (this.size === CROWD) this.#endInterval?.();
  }

  delete(subscription: Subscription): void {
    this.#waiting.delete(subscription);
  }

  clear(): void {
    this.#waiting.clear();
  }

  async #activateAll(): Promise<void> {
    this.#isActivating = true;
    await this.#options.ready;
    await nextTurn();
    while (this.size > 0) {
      const restsUntilMs = performance.now() + READ_INTERVAL_MS;
      const { subscriptions } = this;
      await this.#options.read(subscriptions);
      for (const [index, subscription] of subscriptions.entries()) {
        if (this.#waiting.delete(subscription)) this.#options.activate(subscription);
        if (index % SLICE === SLICE - 1) await nextTurn();
      }
      // A timer counts from the start of its turn of the event loop, and so may fire early.
      while (this.size < CROWD && performance.now() < restsUntilMs) await this.#rest(restsUntilMs);
    }
    this.#isActivating = false;
  }

  #rest(untilMs: number): Promise<void> {
    return new Promise(done => {
      const timer = setTimeout(done, untilMs - performance.now());
      this.#endInterval = () => {
        clearTimeout(timer);
        setImmediate(done);
      };
    });
  }
}
