import type { PollId } from '../poll/poll.ts';
import type { Access, PresentedKey } from '../poll/poll-key.ts';
import type { Held } from '../protocol/client-message.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import { type Connection, nextTurn, SLICE } from './connection.ts';
import type { Frame, ResultsFrame, Snapshot } from './frame.ts';

export interface SubscriptionOptions {
  readonly key: PresentedKey | undefined;
  /** A key that does not fit the poll is ignored: a show may have any poll on air. */
  readonly isKeyOptional?: boolean | undefined;
  /** Maximum results per second, 1 to 20. */
  readonly hz: number;
  /** The position that the client claims to hold. */
  readonly since?: Held | undefined;
  /** After the first `results`, send `counts` unless something else changes. */
  readonly compact: boolean;
  readonly preview?: boolean | undefined;
  readonly page?: boolean | undefined;
}

export interface LatestSource {
  readonly snapshot: Snapshot | undefined;
  /** Sent in place of results while the engine is unavailable. */
  readonly stale: Frame | undefined;
  authorize(key: PresentedKey | undefined): Access | undefined;
  unsubscribe(subscription: Subscription): void;
  reject(subscription: Subscription): void;
  /** MUST NOT throw. */
  onError(error: unknown): void;
}

/** What one connection may see of one poll, and what it holds. Only a frame that was written counts as held. */
export class Subscription {
  readonly id: PollId;
  readonly hz: number;
  readonly isCompact: boolean;
  readonly connection: Connection;
  /** Index in a batch of its rate group; -1 outside. */
  place = -1;
  /** Time of the first message, 0 before, and of the next one at the earliest. Monotonic milliseconds. */
  activatedAtMs = 0;
  restsUntilMs = 0;
  readonly #source: LatestSource;
  readonly #key: PresentedKey | undefined;
  readonly #isKeyOptional: boolean;
  #access: Access | undefined;
  /** The frame sent last, compared by reference. */
  #last: Frame | undefined;
  /** The results sent last; before the first, the position that the client claims to hold. */
  #held: ResultsFrame | Held | undefined;
  /** The definition in the results sent last, unless another message has been sent since. */
  #definition: object | undefined;

  constructor(id: PollId, source: LatestSource, options: SubscriptionOptions, connection: Connection) {
    const { key, isKeyOptional = false, hz, since, compact } = options;
    this.id = id;
    this.hz = hz;
    this.isCompact = compact;
    this.connection = connection;
    this.#source = source;
    this.#key = key;
    this.#isKeyOptional = isKeyOptional;
    this.#held = since;
  }

  /** Stops sending. Idempotent. */
  leave(): void {
    this.#source.unsubscribe(this);
  }

  activate(): void {
    this.activatedAtMs = Math.ceil(performance.now());
    this.sendLatest();
  }

  /**
   * Sends the newest message that this subscription may see, unless the client holds it. Ends the
   * subscription if its key is rejected.
   */
  sendLatest(): void {
    try {
      this.#sendLatest();
    } catch (error) {
      this.#source.onError(error);
    }
  }

  /** Checks the key again after the keys have changed. @returns false if it is now rejected */
  reauthorize(): boolean {
    this.#access = this.#key && this.#authorize();
    return this.#access !== 'rejected';
  }

  end(event: CloseEvent): void {
    try {
      this.connection.onSubscriptionEnd(this, event);
    } catch (error) {
      this.#source.onError(error);
    }
  }

  /** Returns whether the client holds these results with their definition, so that it can join a batch. */
  holds({ results, definition }: Snapshot): boolean {
    return this.#last === results && this.#definition === definition;
  }

  hold({ results, definition }: Snapshot): void {
    this.#last = results;
    this.#held = results;
    this.#definition = definition;
  }

  #sendLatest(): void {
    const { snapshot, stale } = this.#source;
    const maySee = snapshot !== undefined && this.#maySee(snapshot.isPublic);
    if (this.#access === 'rejected') {
      this.#source.reject(this);
      return;
    }
    const frame = stale ?? (maySee ? snapshot.results : snapshot?.hidden);
    if (!frame || frame === this.#last) return;
    if (maySee && frame === snapshot.results) this.#sendResults(snapshot);
    else if (this.connection.sendResults(this, frame)) {
      this.#last = frame;
      this.#definition = undefined;
    }
  }

  #maySee(isPublic: boolean): boolean {
    this.#access ??= this.#authorize();
    return this.#access === 'granted' || (isPublic && this.#access === 'absent');
  }

  #authorize(): Access | undefined {
    const access = this.#source.authorize(this.#key);
    return access === 'rejected' && this.#isKeyOptional ? 'absent' : access;
  }

  #sendResults(snapshot: Snapshot): void {
    const { results } = snapshot;
    const frame = this.#formOf(snapshot);
    if (!this.connection.sendResults(this, frame)) return;
    this.hold(snapshot);
    if (frame === results.current) this.#definition = undefined;
  }

  /** Returns the smallest message that brings the client up to date. */
  #formOf({ results, definition }: Snapshot): Frame {
    const held = this.#held;
    if (held && !results.follows(held)) return results.reset;
    if (this.#last === undefined && held?.position === results.position) return results.current;
    return this.#definition === definition ? results.next(this.isCompact) : results;
  }
}

/**
 * Milliseconds between reads. At 50 ms a pending subscription has left the CPU caches, and
 * activating it costs a sixth more.
 */
export const READ_INTERVAL_MS = 20;
/** That many do not wait for the interval: activating them costs a dozen times as much as a read. */
export const CROWD = 64;

export interface PendingSubscriptionsOptions {
  /** Resolves once hints arrive, so that a read from then on misses no change. */
  readonly ready: Promise<void>;
  /** Reads the poll. MUST NOT reject. */
  readonly read: (pending: readonly Subscription[]) => Promise<void>;
  readonly activate: (subscription: Subscription) => void;
}

/**
 * Subscriptions that wait for their first message. They share reads: at most one per
 * `READ_INTERVAL_MS`, or per `CROWD` if sooner.
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
      // A timer may fire early, because it counts from the start of its turn of the event loop.
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
