import { Redis } from 'ioredis';
import { type RedisAccess, sentinelOptions } from './redis-profile.ts';
import { addressText, describeTarget, type RedisAddress, type SentinelTarget } from './redis-url.ts';
import { connectionFailure } from './server-check.ts';

const OPEN_TIMEOUT_MS = 5_000;
/** Once one has answered the others have this long, for the first may be one that is cut off. */
const OTHERS_MS = 500;
/** Who said nothing for so long is not counted. */
const SILENT_MS = 3_000;
const PASSWORD = /NOAUTH|WRONGPASS/;

export interface SentinelWatchEvents {
  /** The primary is another one from now on. */
  readonly onPrimary: (primary: RedisAddress) => void;
  /** A replica of the primary is about to be promoted: what the primary takes from now on may be lost. */
  readonly onPromoting: () => void;
}

/**
 * Who the primary is, as all Sentinels say that can be reached, those that they name among themselves included.
 *
 * Each failover gives the configuration a greater epoch, and the greatest that was ever heard of counts: a Sentinel that is
 * cut off from the others names an old primary for as long as that lasts. A smaller epoch is believed only where most of
 * the Sentinels say so, as after they were set up anew.
 */
export class SentinelWatch {
  readonly #access: RedisAccess;
  readonly #target: SentinelTarget;
  readonly #events: SentinelWatchEvents;
  /** By host:port. */
  readonly #links = new Map<string, SentinelLink>();
  #believed: SentinelView | undefined;
  #answered: () => void = () => {};
  #isOpen = false;

  private constructor(access: RedisAccess, target: SentinelTarget, events: SentinelWatchEvents) {
    this.#access = access;
    this.#target = target;
    this.#events = events;
    this.#add(target.nodes);
  }

  /** @throws Error in one line where no Sentinel names a primary within five seconds */
  static async open(
    access: RedisAccess,
    target: SentinelTarget,
    events: SentinelWatchEvents,
  ): Promise<SentinelWatch> {
    const watch = new SentinelWatch(access, target, events);
    try {
      await watch.#open();
    } catch (error) {
      watch.close();
      throw error;
    }
    return watch;
  }

  get primary(): RedisAddress {
    return (this.#believed as SentinelView).primary;
  }

  close(): void {
    this.#isOpen = false;
    for (const link of this.#links.values()) link.close();
  }

  async #open(): Promise<void> {
    const links = [...this.#links.values()];
    const hasEach = () => links.every(({ view, fault }) => view ?? fault);
    await this.#wait(OPEN_TIMEOUT_MS, () => links.some(({ view }) => view) || hasEach());
    await this.#wait(OTHERS_MS, hasEach);
    this.#believed = newestOf(this.#views());
    this.#isOpen = true;
    if (this.#believed) return;
    const fault = links.find(link => link.fault)?.fault;
    const message = fault?.message ?? `no answer within ${OPEN_TIMEOUT_MS / 1_000} s`;
    const reason = PASSWORD.test(message)
      ? `their own password is missing or not right: set REDIS_SENTINEL_PASSWORD (${message})`
      : connectionFailure(message, this.#target.tls);
    throw new Error(`${describeTarget(this.#target)} cannot be used: ${reason}`, { cause: fault });
  }

  /** Until it is so, and no longer than that. */
  async #wait(ms: number, isSo: () => boolean): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>(resolve => {
      timer = setTimeout(resolve, ms);
      this.#answered = () => isSo() && resolve();
      this.#answered();
    });
    clearTimeout(timer);
  }

  #add(addresses: readonly RedisAddress[]): void {
    for (const address of addresses) {
      const place = addressText(address);
      if (this.#links.has(place)) continue;
      const link = new SentinelLink(this.#access, address, this.#target.name, {
        onAnswer: () => this.#judge(),
        onPromoting: primary => {
          if (this.#isOpen && primary === addressText(this.primary)) this.#events.onPromoting();
        },
        onPeers: peers => this.#isOpen && this.#add(peers),
      });
      this.#links.set(place, link);
    }
  }

  #views(): SentinelView[] {
    const sinceMs = performance.now() - SILENT_MS;
    return [...this.#links.values()].flatMap(({ view }) => (view && view.heardAtMs > sinceMs ? [view] : []));
  }

  #judge(): void {
    this.#answered();
    if (!this.#isOpen) return;
    const before = this.#believed as SentinelView;
    const views = this.#views();
    const newest = newestOf(views, before);
    if (!newest) return;
    const isMost = 2 * views.length > this.#links.size;
    if (newest.epoch < before.epoch && !isMost) return;
    this.#believed = newest;
    if (addressText(newest.primary) !== addressText(before.primary)) this.#events.onPrimary(newest.primary);
  }
}

/** @param before is kept where one of equal epoch still says the same: a failover is under way */
function newestOf(views: readonly SentinelView[], before?: SentinelView): SentinelView | undefined {
  const epoch = Math.max(...views.map(view => view.epoch));
  const newest = views.filter(view => view.epoch === epoch);
  const isSame = ({ primary }: SentinelView) =>
    before !== undefined && addressText(primary) === addressText(before.primary);
  return newest.find(isSame) ?? newest[0];
}

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
