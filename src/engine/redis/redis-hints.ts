import type { Redis } from 'ioredis';
import { PollError } from '../../poll/poll-error.ts';
import { engineUnavailable } from './redis-failure.ts';

/** Channels in one SUBSCRIBE after a reconnect: few round trips, and no command longer than some 60 KB. */
const RESUBSCRIBE_BATCH = 1_000;

/** The subscriber's side of Redis: which topics are watched, and watching them all again after each reconnect. */
export class RedisHints {
  readonly #client: Redis;
  readonly #sharded: boolean;
  readonly #channelOf: (topic: string) => string;
  /** Channel to topic. What stands here is watched, or will be on the next reconnect. */
  readonly #topics = new Map<string, string>();
  readonly #listeners: ((topic: string) => void)[] = [];

  /** @param sharded whether Redis runs in cluster mode, where a classic PUBLISH would reach every node */
  constructor(client: Redis, sharded: boolean, channelOf: (topic: string) => string) {
    this.#client = client;
    this.#sharded = sharded;
    this.#channelOf = channelOf;
    client.on(sharded ? 'smessage' : 'message', (channel: string) => {
      const topic = this.#topics.get(channel);
      if (topic !== undefined) for (const listener of this.#listeners) listener(topic);
    });
  }

  onHint(listener: (topic: string) => void): void {
    this.#listeners.push(listener);
  }

  async watch(topic: string): Promise<void> {
    const channel = this.#channelOf(topic);
    const watchedBefore = this.#topics.has(channel);
    this.#topics.set(channel, topic);
    try {
      await this.#subscribe([channel]);
    } catch (cause) {
      // Rejected means not watched: nobody will come to unwatch it.
      if (!watchedBefore) this.#topics.delete(channel);
      throw engineUnavailable(cause);
    }
  }

  async unwatch(topic: string): Promise<void> {
    const channel = this.#channelOf(topic);
    if (!this.#topics.delete(channel)) return;
    const done = this.#sharded ? this.#client.sunsubscribe(channel) : this.#client.unsubscribe(channel);
    // Where the link is lost, so is the subscription.
    await done.catch(() => {});
  }

  /** Resolves once every watched topic is watched on the present connection. */
  async watchAll(): Promise<void> {
    const channels = [...this.#topics.keys()];
    while (channels.length > 0) {
      // Some may have been unwatched while earlier ones were on their way.
      const watched = channels.splice(0, RESUBSCRIBE_BATCH).filter(channel => this.#topics.has(channel));
      if (watched.length > 0) await this.#subscribe(watched);
    }
  }

  async #subscribe(channels: string[]): Promise<void> {
    if (this.#client.status !== 'ready') throw new PollError('engine_unavailable');
    // Sharded channels of different slots must not share a command.
    if (this.#sharded) await Promise.all(channels.map(channel => this.#client.ssubscribe(channel)));
    else await this.#client.subscribe(...channels);
  }
}
