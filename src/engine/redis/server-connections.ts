import type { Redis } from 'ioredis';
import { closeConnection, openConnection } from './open-connection.ts';
import { defineCommands, type NodeClient } from './redis-commands.ts';
import type { ConnectionOptions, RedisConnections, Shard } from './redis-connections.ts';
import { createConnection } from './redis-profile.ts';
import { addressText, describeTarget, type RedisAddress } from './redis-url.ts';
import { SentinelWatch } from './sentinel-watch.ts';
import { checkDatabase, checkPrimary, checkReplicas, checkServer, primaryOf } from './server-check.ts';

/** A primary that was made a replica does not always hang up. */
const ROLE_INTERVAL_MS = 1_000;
/** A promotion takes about a second, or it comes to nothing. */
const PROMOTION_MS = 3_000;

/**
 * Connections to one server, or to the primary that the Sentinels name: one for commands, one that listens, and where
 * asked for one for ballots.
 *
 * States: available; lost, from the moment one of the first two closes, the server turns out to be a replica, or Sentinels
 * are about to replace it; available again once both are back at a primary and every channel is subscribed to again, so that
 * whoever reads then misses nothing after.
 */
export class ServerConnections implements RedisConnections {
  readonly commands: NodeClient;
  readonly publish = 'PUBLISH';
  readonly #ballots: NodeClient | undefined;
  readonly #subscriber: Redis;
  readonly #options: ConnectionOptions;
  readonly #place: string;
  readonly #listeners: ((available: boolean) => void)[] = [];
  #resubscribe: () => Promise<void> = async () => {};
  #asking: NodeJS.Timeout | undefined;
  #sentinels: SentinelWatch | undefined;
  /** Until then a replica may be promoted in place of the server; 0 where none is. */
  #promotionEndsMs = 0;
  #isPrimary = false;
  #isReplicaTold = false;
  #available = false;
  #isOpen = false;
  #closing = false;

  private constructor(options: ConnectionOptions, sentinels?: SentinelWatch) {
    const { onError } = options;
    this.#options = options;
    this.#place = describeTarget(options.target);
    this.#sentinels = sentinels;
    const create = (name: string, onReady: () => void, onLost: () => void) =>
      createConnection(options, name, { onError, onReady, onLost }, sentinels?.primary);
    this.commands = defineCommands(
      create(
        'tallycast-commands',
        () => void this.#askRole(),
        () => {
          this.#isPrimary = false;
          this.#lose();
        },
      ),
    );
    // While it is lost, what is read and cast is as good as ever.
    this.#subscriber = create(
      'tallycast-hints',
      () => void this.#recover(),
      () => this.#lose(),
    );
    const ignore = () => {};
    this.#ballots = options.withBallots
      ? defineCommands(create('tallycast-ballots', ignore, ignore))
      : undefined;
  }

  static async open(options: ConnectionOptions): Promise<ServerConnections> {
    const { target } = options;
    // Set below, before anything can have happened.
    let connections: ServerConnections;
    const sentinels =
      target.kind === 'sentinel'
        ? await SentinelWatch.open(options, target, {
            onPrimary: primary => connections.#follow(primary),
            onPromoting: () => connections.#awaitPromotion(),
          })
        : undefined;
    connections = new ServerConnections(options, sentinels);
    try {
      await connections.#open();
    } catch (error) {
      await connections.close();
      throw error;
    }
    return connections;
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

  get listeners(): Redis[] {
    return [this.#subscriber];
  }

  listenerOf(): Redis {
    return this.#subscriber;
  }

  ballotsOf(): NodeClient | undefined {
    return this.#ballots;
  }

  onHint(listener: (channel: string) => void): void {
    this.#subscriber.on('message', listener);
  }

  onRecovery(resubscribe: () => Promise<void>): void {
    this.#resubscribe = resubscribe;
  }

  /** One server holds every channel. */
  onMoved(): void {}

  refreshOwners(): void {}

  onAvailability(listener: (available: boolean) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#asking);
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
    this.#asking = setInterval(() => void this.#askRole(), ROLE_INTERVAL_MS).unref();
  }

  /** After each connect, and now and then, because a server can be demoted under a connection that lives on. */
  async #askRole(): Promise<void> {
    if (!this.#isOpen || this.commands.status !== 'ready' || performance.now() < this.#promotionEndsMs)
      return;
    try {
      const primary = await primaryOf(this.commands);
      if (primary !== undefined) return this.#leave(primary);
    } catch {
      // The connection is lost again, or answers nothing: the next one is asked anew.
      return;
    }
    if (performance.now() < this.#promotionEndsMs) return;
    this.#isPrimary = true;
    this.#isReplicaTold = false;
    await this.#recover();
  }

  /**
   * What the primary takes once its replica is on its own is lost when it is told to follow that one. So nothing is asked of
   * it any more, and it is asked for its role again if no other one is named.
   */
  #awaitPromotion(): void {
    this.#promotionEndsMs = performance.now() + PROMOTION_MS;
    this.#isPrimary = false;
    this.#lose();
  }

  /** Goes where the Sentinels say the primary is, with all connections. */
  #follow(primary: RedisAddress): void {
    this.#promotionEndsMs = 0;
    for (const { options } of this.#clients) Object.assign(options, primary);
    this.#leave(addressText(primary));
  }

  /** Hangs up on what is primary no more. The next try may find the new one under the same name, and is asked again, too. */
  #leave(primary: string): void {
    if (!this.#isReplicaTold)
      this.#options.onError(new Error(`${this.#place} is primary no more, but ${primary} is: it is left`));
    this.#isReplicaTold = true;
    this.#isPrimary = false;
    this.#lose();
    // A connection that was begun in this very turn cannot be ended yet.
    setImmediate(() => {
      if (!this.#closing) for (const client of this.#clients) connectAnew(client);
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
    if (this.#available || !this.#isOpen || !this.#isLinked()) return;
    try {
      const primary = await primaryOf(this.#subscriber);
      if (primary !== undefined) throw new Error(`Hints cannot be heard at a replica of ${primary}`);
      await this.#resubscribe();
    } catch (error) {
      this.#options.onError(error as Error);
      // Still linked and yet not subscribed: only a new connection is a clean start. It ends in `onReady` again.
      if (this.#subscriber.status === 'ready') this.#subscriber.disconnect(true);
      return;
    }
    if (this.#available || this.#closing || !this.#isLinked()) return;
    this.#available = true;
    this.#announce();
  }

  #isLinked(): boolean {
    return this.#isPrimary && this.commands.status === 'ready' && this.#subscriber.status === 'ready';
  }

  #announce(): void {
    for (const listener of this.#listeners) listener(this.#available);
  }
}

/** Now, and to where its options lead by now. */
function connectAnew(client: Redis): void {
  // Asked for earlier than by its own timer; what fails is tried again by that.
  if (client.status === 'reconnecting') client.connect().catch(() => {});
  else if (['connecting', 'connect', 'ready'].includes(client.status)) client.disconnect(true);
}
