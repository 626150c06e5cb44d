import { isIPv4 } from 'node:net';
import type { Redis } from 'ioredis';
import { closeConnection, openConnection } from './open-connection.ts';
import { defineCommands, type NodeClient } from './redis-commands.ts';
import type { ConnectionOptions, RedisConnections } from './redis-connections.ts';
import { createConnection } from './redis-profile.ts';
import { describeTarget } from './redis-url.ts';
import { watchSentinels } from './sentinel-watch.ts';
import { checkDatabase, checkPrimary, checkReplicas, checkServer, primaryOf } from './server-check.ts';

/** A primary that was made a replica does not always hang up. */
const ROLE_INTERVAL_MS = 1_000;

/**
 * Connections to one server, or to the primary that the Sentinels name: one for commands, one that listens, and where
 * asked for one for ballots.
 *
 * States: available; lost, from the moment one of the first two closes or the server turns out to be a replica; available
 * again once both are back at one server, that is a primary, and every channel is subscribed to again, so that whoever
 * reads then misses nothing after.
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
  #unwatch: () => void = () => {};
  /** The primary as the Sentinels named it last. */
  #named: string | undefined;
  #isPrimary = false;
  #isReplicaTold = false;
  #available = false;
  #isOpen = false;
  #closing = false;

  private constructor(options: ConnectionOptions) {
    const { onError } = options;
    this.#options = options;
    this.#place = describeTarget(options.target);
    this.commands = defineCommands(
      createConnection(options, 'tallycast-commands', {
        onError,
        onLost: () => {
          this.#isPrimary = false;
          this.#lose();
        },
        onReady: () => void this.#askRole(),
      }),
    );
    this.#subscriber = createConnection(options, 'tallycast-hints', {
      onError,
      // What is read and cast meanwhile is as good as ever.
      onLost: () => this.#lose(),
      onReady: () => void this.#recover(),
    });
    const events = { onError, onReady: () => this.#hangUpStrays(), onLost: () => {} };
    this.#ballots = options.withBallots
      ? defineCommands(createConnection(options, 'tallycast-ballots', events))
      : undefined;
  }

  static async open(options: ConnectionOptions): Promise<ServerConnections> {
    const connections = new ServerConnections(options);
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
    this.#unwatch();
    await Promise.all([this.commands, this.#subscriber, this.#ballots].map(closeConnection));
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
    if (target.kind === 'sentinel')
      this.#unwatch = watchSentinels(this.#options, target, address => this.#compare(address));
  }

  /** After each connect, and now and then, because a server can be demoted under a connection that lives on. */
  async #askRole(): Promise<void> {
    if (!this.#isOpen || this.commands.status !== 'ready') return;
    try {
      const primary = await primaryOf(this.commands);
      if (primary !== undefined) return this.#leave(primary);
    } catch {
      // The connection is lost again, or answers nothing: the next one is asked anew.
      return;
    }
    this.#isPrimary = true;
    this.#isReplicaTold = false;
    await this.#recover();
  }

  /** @param primary host:port as the Sentinels name it; a host may be a name that says nothing about the address */
  #compare(primary: string): void {
    const hasChanged = this.#named !== undefined && this.#named !== primary;
    this.#named = primary;
    if (this.commands.status !== 'ready' || placeOf(this.commands) === primary) return;
    // An address is compared each time: the connection may have come back to the old primary since the change.
    if (hasChanged || isIPv4(hostOf(primary))) this.#leave(primary);
  }

  /**
   * Each connection asks the Sentinels by itself, and not all of them know of a failover at the same moment: one that came
   * back to another server than the commands did would hear no hint there, and cast ballots that are lost.
   */
  #hangUpStrays(): void {
    if (this.#options.target.kind !== 'sentinel' || !this.#isOpen || this.commands.status !== 'ready') return;
    for (const client of [this.#subscriber, this.#ballots])
      if (client?.status === 'ready' && placeOf(client) !== placeOf(this.commands)) client.disconnect(true);
  }

  /** Hangs up on what is primary no more. The next try may find the new one under the same name, and is asked again, too. */
  #leave(primary: string): void {
    if (!this.#isReplicaTold)
      this.#options.onError(new Error(`${this.#place} is primary no more, but ${primary} is: it is left`));
    this.#isReplicaTold = true;
    this.#isPrimary = false;
    this.#lose();
    for (const client of [this.commands, this.#subscriber, this.#ballots])
      if (client?.status === 'ready') client.disconnect(true);
  }

  #lose(): void {
    if (this.#closing || !this.#available) return;
    this.#available = false;
    this.#announce();
  }

  async #recover(): Promise<void> {
    this.#hangUpStrays();
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

/** @returns host:port of the other side */
function placeOf({ stream }: Redis): string {
  return `${stream?.remoteAddress}:${stream?.remotePort}`;
}

function hostOf(place: string): string {
  return place.slice(0, place.lastIndexOf(':'));
}
