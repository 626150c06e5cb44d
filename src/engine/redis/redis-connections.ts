import type { Redis } from 'ioredis';
import { type CommandClient, defineCommands } from './redis-commands.ts';
import { type ConnectionEvents, createConnection } from './redis-profile.ts';

const OPEN_TIMEOUT_MS = 5_000;

export interface ConnectionOptions {
  readonly redisUrl: string;
  /** Adds a connection for casting alone, because WAIT blocks the one it is sent on. */
  readonly withBallots: boolean;
  readonly onError: (error: Error) => void;
}

/**
 * One connection for commands, one that listens, and where asked for one for ballots.
 *
 * States: available; lost, from the moment one of the first two closes; available again once both are back and every
 * topic is subscribed to again, so that whoever reads then misses nothing after.
 */
export class RedisConnections {
  readonly commands: CommandClient;
  readonly ballots: CommandClient | undefined;
  /** Listens to hints and does nothing else. */
  readonly subscriber: Redis;
  readonly #options: ConnectionOptions;
  readonly #listeners: ((available: boolean) => void)[] = [];
  #resubscribe: () => Promise<void> = async () => {};
  #publish: 'PUBLISH' | 'SPUBLISH' = 'PUBLISH';
  #available = false;
  #isOpen = false;
  #closing = false;

  constructor(options: ConnectionOptions) {
    const { redisUrl, onError } = options;
    const events: ConnectionEvents = {
      onError,
      onReady: () => void this.#recover(),
      onLost: () => this.#lose(),
    };
    const ignored = () => {};
    this.#options = options;
    this.commands = defineCommands(createConnection(redisUrl, 'tallycast-commands', events));
    this.subscriber = createConnection(redisUrl, 'tallycast-hints', events);
    this.ballots = options.withBallots
      ? defineCommands(
          createConnection(redisUrl, 'tallycast-ballots', { onError, onReady: ignored, onLost: ignored }),
        )
      : undefined;
  }

  /**
   * @throws Error in one line, which names the server as host:port and never the password, where it cannot be reached
   * or is older than Redis 7
   */
  async open(): Promise<void> {
    const address = addressOf(this.#options.redisUrl);
    try {
      await openConnection(this.commands, address);
      const clustered = await checkServer(this.commands, address, this.#options.onError);
      this.#publish = clustered ? 'SPUBLISH' : 'PUBLISH';
      await openConnection(this.subscriber, address);
      if (this.ballots) await openConnection(this.ballots, address);
      this.#isOpen = true;
      this.#available = true;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** In cluster mode a PUBLISH goes to every node, an SPUBLISH to the one that holds the poll. */
  get publish(): 'PUBLISH' | 'SPUBLISH' {
    return this.#publish;
  }

  /** @param resubscribe runs after each reconnect, before the connections count as available. Where it rejects, it is tried again */
  onRecovery(resubscribe: () => Promise<void>): void {
    this.#resubscribe = resubscribe;
  }

  onAvailability(listener: (available: boolean) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([this.commands, this.subscriber, this.ballots].map(closeConnection));
  }

  #lose(): void {
    if (this.#closing || !this.#available) return;
    this.#available = false;
    this.#announce();
  }

  async #recover(): Promise<void> {
    if (this.#available || !this.#isOpen || !this.#isLinked()) return;
    try {
      await this.#resubscribe();
    } catch (error) {
      this.#options.onError(error as Error);
      // Still linked and yet not subscribed: only a new connection is a clean start. It ends in `onReady` again.
      if (this.subscriber.status === 'ready') this.subscriber.disconnect(true);
      return;
    }
    if (this.#available || this.#closing || !this.#isLinked()) return;
    this.#available = true;
    this.#announce();
  }

  #isLinked(): boolean {
    return this.commands.status === 'ready' && this.subscriber.status === 'ready';
  }

  #announce(): void {
    for (const listener of this.#listeners) listener(this.#available);
  }
}

async function openConnection(client: Redis, address: string): Promise<void> {
  let reason = `no answer within ${OPEN_TIMEOUT_MS / 1_000} s`;
  const note = (error: Error) => {
    reason = error.message;
  };
  client.on('error', note);
  const timeout = setTimeout(() => client.disconnect(), OPEN_TIMEOUT_MS);
  try {
    await client.connect();
  } catch (cause) {
    client.disconnect();
    throw new Error(`Redis at ${address} cannot be used: ${reason}`, { cause });
  } finally {
    clearTimeout(timeout);
    client.off('error', note);
  }
}

function addressOf(redisUrl: string): string {
  if (!URL.canParse(redisUrl)) throw new Error('The Redis URL is not a URL like redis://127.0.0.1:6379');
  const { hostname, port } = new URL(redisUrl);
  return `${hostname || '127.0.0.1'}:${port || 6379}`;
}

/**
 * @returns whether the server runs in cluster mode
 * @throws Error where it is older than Redis 7
 */
async function checkServer(client: Redis, address: string, warn: (warning: Error) => void): Promise<boolean> {
  const info = await client.info('server', 'memory');
  const read = (field: string) => new RegExp(`^${field}:(\\S+)`, 'm').exec(info)?.[1];
  const version = read('redis_version') ?? 'unknown';
  if (!(Number.parseInt(version, 10) >= 7))
    throw new Error(`Redis at ${address} is version ${version}; Tallycast needs Redis 7 or newer, or Valkey`);
  const policy = read('maxmemory_policy');
  if (read('maxmemory') !== '0' && policy !== 'noeviction')
    warn(new Error(`Redis at ${address} forgets voters when memory is short (${policy}): set noeviction`));
  return read('redis_mode') === 'cluster';
}

async function closeConnection(client: Redis | undefined): Promise<void> {
  if (!client) return;
  // Never opened, and a QUIT would open it.
  if (client.status === 'wait') return client.disconnect();
  // QUIT lets what is in flight finish; where the link is lost there is nothing to wait for.
  await client.quit().catch(() => client.disconnect());
}
