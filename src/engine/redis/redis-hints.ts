import type { Redis } from 'ioredis';
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
  readonly #subscriptions = new Map<string, Subscription>();
  /** Channels whose subscription has to be told to Redis: those that are followed are begun, the others ended. */
  readonly #untold = new Set<string>();
  #telling = false;

  constructor(
    connections: RedisConnections,
    commands: CommandsInFlight,
    channelOf: (topic: string) => string,
  ) {
    this.#connections = connections;
    this.#commands = commands;
    this.#channelOf = channelOf;
    connections.onRecovery(() => this.#subscribe([...this.#subscriptions.keys()]));
    this.#client.on(this.#isSharded ? 'smessage' : 'message', (channel: string) => {
      const subscription = this.#subscriptions.get(channel);
      if (subscription) for (const follower of subscription.followers) follower();
    });
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

  get #client(): Redis {
    return this.#connections.subscriber;
  }

  get #isSharded(): boolean {
    return this.#connections.publish === 'SPUBLISH';
  }

  #begin(channel: string): Subscription {
    let resolveReady = () => {};
    const ready = new Promise<void>(resolve => {
      resolveReady = resolve;
    });
    const subscription: Subscription = { followers: new Set(), ready, resolveReady, state: 'new' };
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
    for (const batch of batches(ended)) void this.#unsubscribe(batch).catch(() => {});
    // A reconnect subscribes to all of them anew, so that only what fails on a living connection is tried again.
    if (begun.length > 0) void this.#subscribe(begun).catch(() => this.#retryLater(begun));
  }

  #retryLater(channels: readonly string[]): void {
    setTimeout(() => {
      if (this.#client.status === 'end') return;
      const failed = channels.filter(channel => this.#subscriptions.get(channel)?.state === 'failed');
      for (const channel of failed) this.#tell(channel);
    }, RETRY_MS).unref();
  }

  /** Resolves once every channel that is still followed is subscribed to on the present connection. */
  async #subscribe(channels: readonly string[]): Promise<void> {
    try {
      for (const batch of batches(channels)) {
        // Some may have been let go while earlier ones were on their way.
        const followed = batch.filter(channel => this.#subscriptions.has(channel));
        if (followed.length > 0) await this.#send(followed);
        for (const channel of followed) this.#held(channel);
      }
    } catch (cause) {
      for (const channel of channels) this.#failed(channel);
      throw cause;
    }
  }

  #held(channel: string): void {
    const subscription = this.#subscriptions.get(channel);
    if (!subscription) return;
    const wasMissing = subscription.state === 'failed';
    subscription.state = 'held';
    subscription.resolveReady();
    if (wasMissing) for (const follower of subscription.followers) follower();
  }

  #failed(channel: string): void {
    const subscription = this.#subscriptions.get(channel);
    if (subscription?.state !== 'new') return;
    subscription.state = 'failed';
    subscription.resolveReady();
  }

  async #send(channels: string[]): Promise<void> {
    if (this.#client.status !== 'ready') throw new Error('The connection for hints is lost');
    // Sharded channels of different slots must not share a command.
    if (this.#isSharded) await Promise.all(channels.map(channel => this.#client.ssubscribe(channel)));
    else await this.#client.subscribe(...channels);
  }

  async #unsubscribe(channels: string[]): Promise<void> {
    if (this.#client.status !== 'ready') return;
    if (this.#isSharded) await Promise.all(channels.map(channel => this.#client.sunsubscribe(channel)));
    else await this.#client.unsubscribe(...channels);
  }
}

function batches(channels: readonly string[]): string[][] {
  const count = Math.ceil(channels.length / BATCH);
  return Array.from({ length: count }, (_, index) => channels.slice(index * BATCH, (index + 1) * BATCH));
}
