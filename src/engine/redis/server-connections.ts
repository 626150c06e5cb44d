import type { Redis } from 'ioredis';
import {
  type ConnectionOptions,
  closeConnection,
  createConnection,
  openConnection,
  openOrClose,
} from './connection.ts';
import { defineCommands, type NodeClient } from './redis-commands.ts';
import type { RedisConnections, Shard } from './redis-store.ts';
import { addressText, describeTarget, type RedisAddress } from './redis-url.ts';
import { SentinelWatch } from './sentinel-watch.ts';
import { checkDatabase, checkPrimary, checkReplicas, checkServer, primaryOf } from './server-check.ts';

/** A primary that becomes a replica does not always close its connections. */
const ROLE_INTERVAL_MS = 1_000;
/** A promotion takes about a second, or it fails. */
const PROMOTION_MS = 3_000;

/**
 * Connections to one server, or to the primary of the Sentinels: for commands, for subscriptions
 * and, if asked for, for ballots.
 *
 * States: available; lost once one of the first two closes, the server is a replica, or Sentinels
 * are about to replace it; available again once both are connected to a primary and every channel
 * is subscribed.
 */
export class ServerConnections implements RedisConnections {
  readonly commands: NodeClient;
  readonly publish = 'PUBLISH';
  readonly #ballots: NodeClient | undefined;
  readonly #subscriber: Redis;
  readonly #options: ConnectionOptions;
  readonly #place: string;
  readonly #listeners: ((available: boolean) => void)[] = [];
  readonly #sentinels: SentinelWatch | undefined;
  #resubscribe: () => Promise<void> = async () => {};
  #roleTimer: NodeJS.Timeout | undefined;
  /** Until then a replica may be promoted; 0 if none is. */
  #promotionEndsMs = 0;
  #isPrimary = false;
  #isDemotionReported = false;
  #available = false;
  #isOpen = false;
  #closing = false;

  private constructor(options: ConnectionOptions, sentinels?: SentinelWatch) {
    const { onError } = options;
    this.#options = options;
    this.#place = describeTarget(options.target);
    this.#sentinels = sentinels;
    const create = (name: string, onReady = () => {}, onLost = () => {}) =>
      createConnection(options, name, { onError, onReady, onLost }, sentinels?.primary);
    const onCommandsLost = () => {
      this.#isPrimary = false;
      this.#lose();
    };
    this.commands = defineCommands(
      create('tallycast-commands', () => void this.#checkRole(), onCommandsLost),
    );
    // Reads and ballots go on without it.
    this.#subscriber = create(
      'tallycast-hints',
      () => void this.#recover(),
      () => this.#lose(),
    );
    this.#ballots = options.withBallots ? defineCommands(create('tallycast-ballots')) : undefined;
  }

  static async open(options: ConnectionOptions): Promise<ServerConnections> {
    const { target } = options;
    let connections: ServerConnections;
    const sentinels =
      target.kind === 'sentinel'
        ? await SentinelWatch.open(options, target, {
            onPrimary: primary => connections.#follow(primary),
            onPromoting: () => connections.#awaitPromotion(),
          })
        : undefined;
    connections = new ServerConnections(options, sentinels);
    return openOrClose(connections, () => connections.#open());
  }

  get isPrimary(): boolean {
    return this.#isPrimary;
  }

  get clock(): Redis {
    return this.commands;
  }

  get shards(): Shard[] {
    return [{ client: this.#isPrimary ? this.commands : undefined, owns: () => true }];
  }

  get subscribers(): Redis[] {
    return [this.#subscriber];
  }

  subscriberOf(): Redis {
    return this.#subscriber;
  }

  ballotClientOf(): NodeClient | undefined {
    return this.#ballots;
  }

  onHint(listener: (channel: string) => void): void {
    this.#subscriber.on('message', listener);
  }

  onRecovery(resubscribe: () => Promise<void>): void {
    this.#resubscribe = resubscribe;
  }

  onMoved(): void {}

  refreshOwners(): void {}

  onAvailability(listener: (available: boolean) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#roleTimer);
    this.#sentinels?.close();
    await Promise.all(this.#clients.map(closeConnection));
  }

  async #open(): Promise<void> {
    const { target, onError } = this.#options;
    await openConnection(this.commands, this.#place, target.tls);
    await checkServer(this.commands, this.#place, false, onError);
    await checkPrimary(this.commands, this.#place);
    if (target.kind !== 'cluster') await checkDatabase(this.commands, this.#place, target.db);
    if (this.#ballots) await checkReplicas(this.commands, this.#place, onError);
    await openConnection(this.#subscriber, this.#place, target.tls);
    if (this.#ballots) await openConnection(this.#ballots, this.#place, target.tls);
    this.#isPrimary = true;
    this.#available = true;
    this.#isOpen = true;
    this.#roleTimer = setInterval(() => void this.#checkRole(), ROLE_INTERVAL_MS).unref();
  }

  /** After each connect, and once a second because a server can be demoted under a live connection. */
  async #checkRole(): Promise<void> {
    if (!this.#isOpen || this.commands.status !== 'ready' || this.#isPromoting) return;
    try {
      const primary = await primaryOf(this.commands);
      if (primary !== undefined) return this.#leave(primary);
    } catch {
      return;
    }
    if (this.#isPromoting) return;
    this.#isPrimary = true;
    this.#isDemotionReported = false;
    await this.#recover();
  }

  get #isPromoting(): boolean {
    return performance.now() < this.#promotionEndsMs;
  }

  /**
   * The primary loses what it accepts from now on, so it gets no commands until another one is
   * named, or time is over.
   */
  #awaitPromotion(): void {
    this.#promotionEndsMs = performance.now() + PROMOTION_MS;
    this.#isPrimary = false;
    this.#lose();
  }

  #follow(primary: RedisAddress): void {
    this.#promotionEndsMs = 0;
    for (const { options } of this.#clients) Object.assign(options, primary);
    this.#leave(addressText(primary));
  }

  /** Disconnects from a demoted primary. The new connection may lead to another server, and its role is checked too. */
  #leave(primary: string): void {
    if (!this.#isDemotionReported)
      this.#options.onError(
        new Error(`${this.#place} is no longer primary, but ${primary} is: reconnecting`),
      );
    this.#isDemotionReported = true;
    this.#isPrimary = false;
    this.#lose();
    // A connection that began in this turn cannot be ended yet.
    setImmediate(() => {
      if (!this.#closing) for (const client of this.#clients) reconnect(client);
    });
  }

  get #clients(): Redis[] {
    return [this.commands, this.#subscriber, ...(this.#ballots ? [this.#ballots] : [])];
  }

  #lose(): void {
    if (this.#closing || !this.#available) return;
    this.#available = false;
    this.#announce();
  }

  async #recover(): Promise<void> {
    if (this.#available || !this.#isOpen || !this.#isConnected()) return;
    try {
      const primary = await primaryOf(this.#subscriber);
      if (primary !== undefined) throw new Error(`A replica of ${primary} delivers no hints`);
      await this.#resubscribe();
    } catch (error) {
      this.#options.onError(error as Error);
      // Connected and not subscribed: only a new connection is a clean start.
      if (this.#subscriber.status === 'ready') this.#subscriber.disconnect(true);
      return;
    }
    if (this.#available || this.#closing || !this.#isConnected()) return;
    this.#available = true;
    this.#announce();
  }

  #isConnected(): boolean {
    return this.#isPrimary && this.commands.status === 'ready' && this.#subscriber.status === 'ready';
  }

  #announce(): void {
    for (const listener of this.#listeners) listener(this.#available);
  }
}

/** Reconnects now, to the address in its options. */
function reconnect(client: Redis): void {
  if (client.status === 'reconnecting') client.connect().catch(() => {});
  else if (['connecting', 'connect', 'ready'].includes(client.status)) client.disconnect(true);
}
