import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { hintLagSeconds, hints, unheardProbes } from '../../metrics/catalogue.ts';
import { PollError } from '../../poll/poll-error.ts';
import type { Following, Hints } from '../hints.ts';
import type { CommandsInFlight } from './commands-in-flight.ts';
import type { RedisConnections } from './redis-connections.ts';

/** Channels in one SUBSCRIBE: few round trips, and no command longer than some 60 KB. */
const BATCH = 1_000;
/** After a subscription that failed though the connection is there, as where Redis stalls. */
const RETRY_MS = 250;

interface Subscription {
  /** Each is a function of its own, so that one listener may follow a topic twice. */
  readonly followers: Set<() => void>;
  /** The connection that Redis was told on last. */
  listener: Redis | undefined;
  readonly ready: Promise<void>;
  readonly resolveReady: () => void;
  /**
   * `new` until the first try has ended; `held` while Redis is known to have it, or as long as the next reconnect will
   * bring it back; `failed` in between.
   */
  state: 'new' | 'held' | 'failed';
}

/**
 * Hints by Redis's pub/sub. What is followed or let go within one turn of the event loop goes out as one command, and after
 * each reconnect all is subscribed to again, before the engine is announced as back.
 */
export class RedisHints implements Hints {
  readonly #connections: RedisConnections;
  readonly #commands: CommandsInFlight;
  readonly #channelOf: (topic: string) => string;
  readonly #probe: HintProbe;
  readonly #subscriptions = new Map<string, Subscription>();
  /** Channels whose subscription has to be told to Redis: those that are followed are begun, the others ended. */
  readonly #untold = new Set<string>();
  #telling = false;

  constructor(
    connections: RedisConnections,
    commands: CommandsInFlight,
    channelOf: (topic: string) => string,
    onError: (error: Error) => void,
  ) {
    this.#connections = connections;
    this.#commands = commands;
    this.#channelOf = channelOf;
    connections.onRecovery(() => this.#subscribeAll());
    connections.onMoved(lost => this.#moveAll(lost));
    connections.onHint(channel => {
      const subscription = this.#subscriptions.get(channel);
      if (!subscription) return;
      hints.value += 1;
      for (const follower of subscription.followers) follower();
    });
    this.#probe = new HintProbe({
      hints: this,
      listeners: () => connections.listeners,
      listenerOf: topic => connections.listenerOf(channelOf(topic)),
      onDeaf: listener => {
        onError(new Error('Redis answers and delivers no hints: connecting anew'));
        listener.disconnect(true);
      },
    });
  }

  async checkHearing(): Promise<void> {
    if (!this.#probe.isHearing)
      throw new PollError('engine_unavailable', { message: 'What is published is not heard here.' });
  }

  follow(topic: string, listener: () => void): Following {
    const channel = this.#channelOf(topic);
    const subscription = this.#subscriptions.get(channel) ?? this.#begin(channel);
    const follower = () => listener();
    subscription.followers.add(follower);
    return {
      ready: subscription.ready,
      unfollow: () => {
        const { followers } = subscription;
        if (followers.delete(follower) && followers.size === 0) this.#end(channel);
      },
    };
  }

  async publish(topic: string): Promise<void> {
    const { publish } = this.#connections;
    await this.#commands.send(client => client.call(publish, this.#channelOf(topic), ''));
  }

  onAvailability(listener: (available: boolean) => void): void {
    this.#connections.onAvailability(listener);
  }

  /** Nothing is subscribed to any more. */
  close(): void {
    this.#probe.close();
    this.#subscriptions.clear();
  }

  get #isSharded(): boolean {
    return this.#connections.publish === 'SPUBLISH';
  }

  #begin(channel: string): Subscription {
    let resolveReady = () => {};
    const ready = new Promise<void>(resolve => {
      resolveReady = resolve;
    });
    const subscription: Subscription = {
      followers: new Set(),
      listener: undefined,
      ready,
      resolveReady,
      state: 'new',
    };
    this.#subscriptions.set(channel, subscription);
    this.#tell(channel);
    return subscription;
  }

  #end(channel: string): void {
    this.#subscriptions.get(channel)?.resolveReady();
    this.#subscriptions.delete(channel);
    this.#tell(channel);
  }

  #tell(channel: string): void {
    this.#untold.add(channel);
    if (!this.#telling) setImmediate(() => this.#tellAll());
    this.#telling = true;
  }

  #tellAll(): void {
    this.#telling = false;
    const channels = [...this.#untold];
    this.#untold.clear();
    const ended = channels.filter(channel => !this.#subscriptions.has(channel));
    const begun = channels.filter(channel => this.#subscriptions.has(channel));
    // Where the link is lost, so are its subscriptions.
    for (const [listener, batch] of this.#batches(ended))
      if (listener) void this.#unsubscribe(listener, batch);
    // A reconnect subscribes to all of them anew, so that only what fails on a living connection is tried again.
    for (const [listener, batch] of this.#batches(begun))
      void this.#subscribe(listener, batch).catch(() => this.#retryLater(batch));
  }

  #retryLater(channels: readonly string[]): void {
    setTimeout(() => {
      const failed = channels.filter(channel => this.#subscriptions.get(channel)?.state === 'failed');
      for (const channel of failed) this.#tell(channel);
    }, RETRY_MS).unref();
  }

  /** Resolves once every channel is subscribed to on the present connections. */
  async #subscribeAll(): Promise<void> {
    for (const [listener, batch] of this.#batches([...this.#subscriptions.keys()]))
      await this.#subscribe(listener, batch);
  }

  /** What another connection hears of now, or what `lost` heard of, is subscribed to again. */
  #moveAll(lost?: Redis): void {
    for (const [channel, subscription] of this.#subscriptions) {
      const { state, listener } = subscription;
      const isHeard = listener !== lost && listener === this.#connections.listenerOf(channel);
      if (state !== 'held' || isHeard) continue;
      subscription.state = 'failed';
      if (listener && listener !== lost) void this.#unsubscribe(listener, [channel]);
      this.#tell(channel);
    }
  }

  async #subscribe(listener: Redis | undefined, channels: readonly string[]): Promise<void> {
    // Some may have been let go while earlier ones were on their way.
    const followed = channels.filter(channel => this.#subscriptions.has(channel));
    try {
      if (followed.length > 0) await this.#send(listener, followed);
    } catch (cause) {
      for (const channel of followed) this.#failed(channel);
      throw cause;
    }
    for (const channel of followed) this.#held(channel, listener);
  }

  #held(channel: string, listener: Redis | undefined): void {
    const subscription = this.#subscriptions.get(channel);
    if (!subscription) return;
    const wasMissing = subscription.state === 'failed';
    subscription.state = 'held';
    subscription.listener = listener;
    subscription.resolveReady();
    if (wasMissing) for (const follower of subscription.followers) follower();
  }

  #failed(channel: string): void {
    const subscription = this.#subscriptions.get(channel);
    if (subscription?.state !== 'new') return;
    subscription.state = 'failed';
    subscription.resolveReady();
  }

  async #send(listener: Redis | undefined, channels: readonly string[]): Promise<void> {
    if (listener?.status !== 'ready') throw new Error('The connection for hints is lost');
    // Sharded channels of different slots must not share a command.
    if (this.#isSharded) await Promise.all(channels.map(channel => listener.ssubscribe(channel)));
    else await listener.subscribe(...channels);
  }

  async #unsubscribe(listener: Redis, channels: readonly string[]): Promise<void> {
    if (listener.status !== 'ready') return;
    const ended = this.#isSharded
      ? Promise.all(channels.map(channel => listener.sunsubscribe(channel)))
      : listener.unsubscribe(...channels);
    await ended.catch(() => {});
  }

  /** Channels by the connection that hears of them, in pieces that fit in a command. */
  *#batches(channels: readonly string[]): Iterable<[Redis | undefined, string[]]> {
    const open = new Map<Redis | undefined, string[]>();
    for (const channel of channels) {
      const listener = this.#connections.listenerOf(channel);
      const batch = open.get(listener) ?? [];
      batch.push(channel);
      open.set(listener, batch);
      if (batch.length < BATCH) continue;
      yield [listener, batch];
      open.delete(listener);
    }
    yield* open;
  }
}

const INTERVAL_MS = 5_000;
/** One may be lost on its way, as any hint may. */
const MAX_UNHEARD = 2;
/** More than enough names to meet every shard of a large cluster. */
const MAX_NAMES = 5_000;

export interface HintProbeOptions {
  readonly hints: Pick<Hints, 'follow' | 'publish'>;
  /** The connections that listen at present. */
  readonly listeners: () => Iterable<Redis>;
  readonly listenerOf: (topic: string) => Redis | undefined;
  /** A connection that is there and hears nothing. */
  readonly onDeaf: (listener: Redis) => void;
}

interface Probe {
  readonly topic: string;
  readonly unfollow: () => void;
  unheard: number;
  publishedAtMs: number;
}

/**
 * Publishes a hint to itself on every connection that listens, and expects to hear it: a subscription can be gone while its
 * connection answers every PING, and then all looks healthy while nothing is delivered.
 */
export class HintProbe {
  readonly #options: HintProbeOptions;
  readonly #probes = new Map<Redis, Probe>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: HintProbeOptions, intervalMs = INTERVAL_MS) {
    this.#options = options;
    this.#timer = setInterval(() => this.#probeAll(), intervalMs).unref();
  }

  /** Whether the hints of this process have come back to it lately. */
  get isHearing(): boolean {
    return [...this.#probes.values()].every(({ unheard }) => unheard < MAX_UNHEARD);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { unfollow } of this.#probes.values()) unfollow();
    this.#probes.clear();
  }

  #probeAll(): void {
    const listeners = new Set(this.#options.listeners());
    for (const [listener, { topic, unfollow }] of this.#probes) {
      if (listeners.has(listener) && this.#options.listenerOf(topic) === listener) continue;
      unfollow();
      this.#probes.delete(listener);
    }
    for (const listener of listeners) this.#probe(listener);
  }

  #probe(listener: Redis): void {
    const probe = this.#probes.get(listener) ?? this.#begin(listener);
    if (!probe) return;
    if (probe.unheard > 0) unheardProbes.value += 1;
    probe.unheard += 1;
    probe.publishedAtMs = performance.now();
    // Nobody would hear of it at once: the first one goes out with the subscription, or at the next turn.
    if (probe.unheard > MAX_UNHEARD && listener.status === 'ready') {
      probe.unheard = 1;
      this.#options.onDeaf(listener);
    }
    this.#options.hints.publish(probe.topic).catch(() => {
      // What does not take it is lost, and not deaf: that is said by others, and may be one shard of many.
      probe.unheard = Math.max(0, probe.unheard - 1);
    });
  }

  #begin(listener: Redis): Probe | undefined {
    const topic = this.#topicAt(listener);
    if (topic === undefined) return undefined;
    const { unfollow } = this.#options.hints.follow(topic, () => {
      if (probe.unheard > 0) hintLagSeconds.observe(performance.now() - probe.publishedAtMs);
      probe.unheard = 0;
    });
    const probe: Probe = { topic, unfollow, unheard: 0, publishedAtMs: 0 };
    this.#probes.set(listener, probe);
    return probe;
  }

  /** In a cluster the name decides where a topic is heard, so one is looked for that is heard here. */
  #topicAt(listener: Redis): string | undefined {
    for (let tries = 0; tries < MAX_NAMES; tries += 1) {
      const topic = `probe:${randomBytes(8).toString('hex')}`;
      if (this.#options.listenerOf(topic) === listener) return topic;
    }
    return undefined;
  }
}
