import { Redis } from 'ioredis';
import { type RedisAccess, sentinelOptions } from './redis-profile.ts';
import { addressText, type RedisAddress } from './redis-url.ts';

const ASK_INTERVAL_MS = 1_000;
/** What the leader of a failover says before it promotes a replica, and once it knows that this is done. */
const PROMOTING = '+failover-state-send-slaveof-noone';
const NEWS = [PROMOTING, '+promoted-slave', '+switch-master'];

/** Where a Sentinel believes the primary to be. */
export interface SentinelView {
  readonly primary: RedisAddress;
  /** Of the configuration that it knows: each failover has a greater one. */
  readonly epoch: number;
  /** Monotonic milliseconds. */
  readonly heardAtMs: number;
}

export interface SentinelEvents {
  /** There is a new answer, or a reason why there is none. */
  readonly onAnswer: () => void;
  /** It is about to promote a replica of the primary at this host:port. */
  readonly onPromoting: (primary: string) => void;
  /** Other Sentinels that it knows. */
  readonly onPeers: (peers: readonly RedisAddress[]) => void;
}

/** A connection to one Sentinel, that is asked once a second and after each of its news of a failover. */
export class SentinelLink {
  readonly #client: Redis;
  readonly #name: string;
  readonly #events: SentinelEvents;
  readonly #asking: NodeJS.Timeout;
  #view: SentinelView | undefined;
  #fault: Error | undefined;

  /** @param name of the primary, as the Sentinels call it */
  constructor(access: RedisAccess, address: RedisAddress, name: string, events: SentinelEvents) {
    this.#name = name;
    this.#events = events;
    this.#client = new Redis({ ...sentinelOptions(access), host: address.host, port: address.port });
    this.#client.on('error', error => this.#failed(error));
    this.#client.on('ready', () => void this.#begin());
    this.#client.on('message', (channel: string, text: string) => this.#hear(channel, text));
    this.#asking = setInterval(() => void this.#ask(), ASK_INTERVAL_MS).unref();
  }

  get view(): SentinelView | undefined {
    return this.#view;
  }

  /** Why there is no view, as far as it is known. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  close(): void {
    clearInterval(this.#asking);
    this.#client.disconnect();
  }

  async #begin(): Promise<void> {
    // What is heard at other Sentinels, or asked for a second later, makes up for what is not heard here.
    this.#client.subscribe(...NEWS).catch(() => {});
    await this.#ask();
    const peers = await this.#client.call('SENTINEL', 'SENTINELS', this.#name).catch(() => []);
    if (Array.isArray(peers)) this.#events.onPeers(peers.flatMap(addressOf));
  }

  async #ask(): Promise<void> {
    if (this.#client.status !== 'ready') return;
    try {
      // In one piece, so that nothing happens in between. While a failover is under way the first names the new primary.
      const replies = await this.#client
        .pipeline()
        .call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.#name)
        .call('SENTINEL', 'MASTER', this.#name)
        .exec();
      const [named, details] = (replies ?? []).map(([error, reply]) => {
        if (error) throw error;
        return reply;
      });
      this.#view = parseView(named, details);
      this.#events.onAnswer();
    } catch (error) {
      this.#failed(error as Error);
    }
  }

  #failed(error: Error): void {
    this.#fault = error;
    this.#events.onAnswer();
  }

  #hear(channel: string, text: string): void {
    // `slave <name> <host> <port> @ <name of the primary> <host> <port>`
    const [, name, host, port] = /@ (\S+) (\S+) (\d+)$/.exec(text) ?? [];
    if (channel === PROMOTING && name === this.#name && host !== undefined)
      this.#events.onPromoting(addressText({ host, port: Number(port) }));
    else void this.#ask();
  }
}

/** @throws Error where the reply is none */
function parseView(named: unknown, details: unknown): SentinelView {
  const [host, port] = named as [string, string];
  return {
    primary: { host, port: Number(port) },
    epoch: Number(fieldOf(details, 'config-epoch')),
    heardAtMs: performance.now(),
  };
}

function addressOf(peer: unknown): RedisAddress[] {
  const host = fieldOf(peer, 'ip');
  return host ? [{ host, port: Number(fieldOf(peer, 'port')) }] : [];
}

/** @param fields names and values in turn */
function fieldOf(fields: unknown, name: string): string | undefined {
  const list = fields as string[];
  return list[list.indexOf(name) + 1];
}
