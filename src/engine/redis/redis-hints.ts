import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { hintLagSeconds, hints, unheardProbes } from '../../metrics/catalogue.ts';
import { PollError } from '../../poll/poll-error.ts';
import { deferred } from '../deferred.ts';
import type { Following, Hints } from '../engine.ts';
import { isRefused } from './redis-rights.ts';
import { nameOn, type RedisStore } from './redis-store.ts';

/** Channels in one SUBSCRIBE: few round trips, and no command longer than some 60 KB. */
const BATCH = 1_000;
/** Pause after a subscription that failed on a live connection, and after one that the user may not make. */
const RETRY_MS = 250;
const REFUSED_RETRY_MS = 5_000;

interface Subscription {
  /** Each is a function of its own, so that one listener may follow a topic twice. */
  readonly followers: Set<() => void>;
  subscriber: Redis | undefined;
  readonly ready: Promise<void>;
  readonly resolveReady: () => void;
  /**
   * `new` until the first try ends; `held` while Redis has it or the next reconnect restores it;
   * otherwise `failed`.
   */
  state: 'new' | 'held' | 'failed';
}

/**
 * Changes of one turn share a command. After a reconnect every channel is subscribed before the
 * engine is available.
 */
export class RedisHints implements Hints {
  readonly #store: RedisStore;
  readonly #isSharded: boolean;
  readonly #probe: ReturnType<typeof probeHints>;
  readonly #subscriptions = new Map<string, Subscription>();
  /** Channels to subscribe to if they are followed, otherwise to unsubscribe from. */
  readonly #pending = new Set<string>();
  #isScheduled = false;
  /** The right to the channels was taken away: screens follow by sweeps alone. */
  #isRefused = false;

  constructor(store: RedisStore) {
    const { connections } = store;
    this.#store = store;
    this.#isSharded = connections.publish === 'SPUBLISH';
    connections.onRecovery(() => this.#subscribeAll());
    connections.onMoved(lost => this.#moveAll(lost));
    connections.onHint(channel => {
      const subscription = this.#subscriptions.get(channel);
      if (!subscription) return;
      hints.value += 1;
      for (const follower of subscription.followers) follower();
    });
    this.#probe = probeHints(this, store);
  }

  async checkDelivery(): Promise<void> {
    if (this.#isRefused)
      throw new PollError('engine_unavailable', {
        message: 'The user of Redis may not use its channels any more: tallycast check names the right.',
      });
    if (!this.#probe.isDelivering())
      throw new PollError('engine_unavailable', { message: 'Published hints are not delivered here.' });
  }

  follow(topic: string, listener: () => void): Following {
    const channel = this.#store.keys.channel(topic);
    const subscription = this.#subscriptions.get(channel) ?? this.#begin(channel);
    const { followers, ready } = subscription;
    const follower = () => listener();
    followers.add(follower);
    return {
      ready,
      unfollow: () => {
        if (!followers.delete(follower) || followers.size > 0) return;
        subscription.resolveReady();
        this.#subscriptions.delete(channel);
        this.#schedule([channel]);
      },
    };
  }

  async publish(topic: string): Promise<void> {
    const [publish, channel] = this.#store.hintArgs(topic);
    await this.#store.send(client => client.call(publish, channel, '').catch(this.#rethrow));
    this.#isRefused = false;
  }

  readonly #rethrow = (error: unknown): never => {
    if (isRefused(error) && !this.#isRefused)
      this.#store.onError(new Error('Redis refuses hints: its user lost the right', { cause: error }));
    this.#isRefused ||= isRefused(error);
    throw error;
  };

  onAvailability(listener: (available: boolean) => void): void {
    this.#store.connections.onAvailability(listener);
  }

  close(): void {
    this.#probe.close();
    this.#subscriptions.clear();
  }

  #begin(channel: string): Subscription {
    const { promise: ready, resolve: resolveReady } = deferred();
    const own = { followers: new Set<() => void>(), subscriber: undefined };
    const subscription: Subscription = { ...own, ready, resolveReady, state: 'new' };
    this.#subscriptions.set(channel, subscription);
    this.#schedule([channel]);
    return subscription;
  }

  #schedule(channels: readonly string[]): void {
    for (const channel of channels) this.#pending.add(channel);
    if (!this.#isScheduled) setImmediate(() => this.#update());
    this.#isScheduled = true;
  }

  #update(): void {
    this.#isScheduled = false;
    const channels = [...this.#pending];
    this.#pending.clear();
    const ended = channels.filter(channel => !this.#subscriptions.has(channel));
    const begun = channels.filter(channel => this.#subscriptions.has(channel));
    // A lost connection has lost its subscriptions, and a reconnect subscribes to everything.
    for (const [subscriber, batch] of this.#batches(ended))
      if (subscriber) void this.#unsubscribe(subscriber, batch);
    for (const [subscriber, batch] of this.#batches(begun))
      void this.#subscribe(subscriber, batch).catch(() => this.#retryLater(batch));
  }

  #retryLater(channels: readonly string[]): void {
    const isFailed = (channel: string) => this.#subscriptions.get(channel)?.state === 'failed';
    setTimeout(
      () => this.#schedule(channels.filter(isFailed)),
      this.#isRefused ? REFUSED_RETRY_MS : RETRY_MS,
    ).unref();
  }

  async #subscribeAll(): Promise<void> {
    for (const [subscriber, batch] of this.#batches([...this.#subscriptions.keys()]))
      await this.#subscribe(subscriber, batch).catch(error => {
        // Without the right, a new connection would be refused as well, and reads go on.
        if (!isRefused(error)) throw error;
        this.#retryLater(batch);
      });
  }

  /** Subscribes again to channels that belong to another connection now, or were on `lost`. */
  #moveAll(lost?: Redis): void {
    for (const [channel, subscription] of this.#subscriptions) {
      const { state, subscriber } = subscription;
      const isInPlace = subscriber !== lost && subscriber === this.#store.connections.subscriberOf(channel);
      if (state !== 'held' || isInPlace) continue;
      subscription.state = 'failed';
      if (subscriber && subscriber !== lost) void this.#unsubscribe(subscriber, [channel]);
      this.#schedule([channel]);
    }
  }

  async #subscribe(subscriber: Redis | undefined, channels: readonly string[]): Promise<void> {
    // Some may have ended while earlier batches were sent.
    const followed = channels.filter(channel => this.#subscriptions.has(channel));
    try {
      if (followed.length > 0) await this.#send(subscriber, followed).catch(this.#rethrow);
    } catch (cause) {
      for (const channel of followed) this.#fail(channel, isRefused(cause));
      throw cause;
    }
    for (const channel of followed) this.#hold(channel, subscriber);
  }

  #hold(channel: string, subscriber: Redis | undefined): void {
    const subscription = this.#subscriptions.get(channel);
    if (!subscription) return;
    const mayHaveMissed = subscription.state === 'failed';
    subscription.state = 'held';
    subscription.subscriber = subscriber;
    subscription.resolveReady();
    if (mayHaveMissed) for (const follower of subscription.followers) follower();
  }

  /** A subscription that is held is restored by the next reconnect, unless the user may not make it. */
  #fail(channel: string, isHeldToo: boolean): void {
    const subscription = this.#subscriptions.get(channel);
    if (!subscription || (subscription.state !== 'new' && !isHeldToo)) return;
    subscription.state = 'failed';
    subscription.resolveReady();
  }

  async #send(subscriber: Redis | undefined, channels: readonly string[]): Promise<void> {
    if (subscriber?.status !== 'ready') throw new Error('The connection for hints is lost');
    // Sharded channels of different slots must not share a command.
    if (this.#isSharded) await Promise.all(channels.map(channel => subscriber.ssubscribe(channel)));
    else await subscriber.subscribe(...channels);
  }

  async #unsubscribe(subscriber: Redis, channels: readonly string[]): Promise<void> {
    if (subscriber.status !== 'ready') return;
    const ended = this.#isSharded
      ? Promise.all(channels.map(channel => subscriber.sunsubscribe(channel)))
      : subscriber.unsubscribe(...channels);
    await ended.catch(() => {});
  }

  *#batches(channels: readonly string[]): Iterable<[Redis | undefined, string[]]> {
    const open = new Map<Redis | undefined, string[]>();
    for (const channel of channels) {
      const subscriber = this.#store.connections.subscriberOf(channel);
      const batch = open.get(subscriber) ?? [];
      batch.push(channel);
      open.set(subscriber, batch);
      if (batch.length < BATCH) continue;
      yield [subscriber, batch];
      open.delete(subscriber);
    }
    yield* open;
  }
}

const PROBE_INTERVAL_MS = 5_000;
/** One probe may be lost, like any hint. */
const MAX_LOST = 2;

interface Probe {
  readonly topic: string;
  readonly unfollow: () => void;
  /** Published since the last delivery. */
  undelivered: number;
  publishedAtMs: number;
}

/** Expects its own hints on every connection: a subscription can be lost while its connection answers every PING. */
function probeHints(hints: Hints, { connections, keys, onError }: RedisStore) {
  const probes = new Map<Redis, Probe>();
  const owns = (subscriber: Redis) => (channel: string) => connections.subscriberOf(channel) === subscriber;

  function probeAll(): void {
    const subscribers = new Set(connections.subscribers);
    for (const [subscriber, { topic, unfollow }] of probes) {
      if (subscribers.has(subscriber) && owns(subscriber)(keys.channel(topic))) continue;
      unfollow();
      probes.delete(subscriber);
    }
    for (const subscriber of subscribers) probeOne(subscriber);
  }

  function probeOne(subscriber: Redis): void {
    const probe = probes.get(subscriber) ?? begin(subscriber);
    if (!probe) return;
    if (probe.undelivered > 0) unheardProbes.value += 1;
    probe.undelivered += 1;
    probe.publishedAtMs = performance.now();
    if (probe.undelivered > MAX_LOST && subscriber.status === 'ready') {
      probe.undelivered = 1;
      onError(new Error('Redis answers and delivers no hints: reconnecting'));
      subscriber.disconnect(true);
    }
    hints.publish(probe.topic).catch(() => {
      probe.undelivered = Math.max(0, probe.undelivered - 1);
    });
  }

  function begin(subscriber: Redis): Probe | undefined {
    // In a cluster, the name decides on which connection a hint arrives.
    const kind = `probe:${randomBytes(8).toString('hex')}`;
    const topic = nameOn(owns(subscriber), kind, keys.channel);
    if (topic === undefined) return undefined;
    const { unfollow } = hints.follow(topic, () => {
      if (probe.undelivered > 0) hintLagSeconds.observe(performance.now() - probe.publishedAtMs);
      probe.undelivered = 0;
    });
    const probe: Probe = { topic, unfollow, undelivered: 0, publishedAtMs: 0 };
    probes.set(subscriber, probe);
    return probe;
  }

  const timer = setInterval(probeAll, PROBE_INTERVAL_MS).unref();
  return {
    isDelivering: () => [...probes.values()].every(({ undelivered }) => undelivered < MAX_LOST),
    close() {
      clearInterval(timer);
      for (const { unfollow } of probes.values()) unfollow();
      probes.clear();
    },
  };
}
