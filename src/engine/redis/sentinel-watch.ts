import { Redis } from 'ioredis';
import { within } from '../within.ts';
import { connectionFailure, openOrClose, type RedisAccess, sentinelOptions } from './connection.ts';
import { addressText, describeTarget, type RedisAddress, type SentinelTarget } from './redis-url.ts';

const OPEN_TIMEOUT_MS = 5_000;
/** For the other Sentinels after the first answer, which may be of one that is isolated. */
const OTHERS_MS = 500;
const SILENT_MS = 3_000;
const PASSWORD = /NOAUTH|WRONGPASS/;

export interface SentinelWatchEvents {
  readonly onPrimary: (primary: RedisAddress) => void;
  /** A replica is about to be promoted: the primary may lose what it accepts from now on. */
  readonly onPromoting: () => void;
}

/**
 * Each failover raises the epoch, and the highest one wins: an isolated Sentinel names an old
 * primary. A lower one needs a majority. The `failoverDetector` of ioredis hears only
 * `+switch-master`, after a promotion that costs `fast` more ballots, and compares no epochs.
 */
export class SentinelWatch {
  readonly #access: RedisAccess;
  readonly #target: SentinelTarget;
  readonly #events: SentinelWatchEvents;
  readonly #links = new Map<string, SentinelLink>();
  #current: SentinelView | undefined;
  #answered: () => void = () => {};
  #isOpen = false;

  private constructor(access: RedisAccess, target: SentinelTarget, events: SentinelWatchEvents) {
    this.#access = access;
    this.#target = target;
    this.#events = events;
    this.#add(target.nodes);
  }

  /** @throws Error in one line if no Sentinel names a primary within five seconds */
  static async open(
    access: RedisAccess,
    target: SentinelTarget,
    events: SentinelWatchEvents,
  ): Promise<SentinelWatch> {
    const watch = new SentinelWatch(access, target, events);
    return openOrClose(watch, () => watch.#open());
  }

  get primary(): RedisAddress {
    return (this.#current as SentinelView).primary;
  }

  close(): void {
    this.#isOpen = false;
    for (const link of this.#links.values()) link.close();
  }

  async #open(): Promise<void> {
    const links = [...this.#links.values()];
    const haveAllAnswered = () => links.every(({ view, fault }) => view ?? fault);
    await this.#wait(OPEN_TIMEOUT_MS, () => links.some(({ view }) => view) || haveAllAnswered());
    await this.#wait(OTHERS_MS, haveAllAnswered);
    this.#current = newestOf(this.#views());
    this.#isOpen = true;
    if (this.#current) return;
    const fault = links.find(link => link.fault)?.fault;
    const message = fault?.message ?? `no answer within ${OPEN_TIMEOUT_MS / 1_000} s`;
    const reason = PASSWORD.test(message)
      ? `their own password is missing or not right: set REDIS_SENTINEL_PASSWORD (${message})`
      : connectionFailure(message, this.#target.tls);
    throw new Error(`${describeTarget(this.#target)} cannot be used: ${reason}`, { cause: fault });
  }

  async #wait(ms: number, condition: () => unknown): Promise<void> {
    const met = new Promise<void>(resolve => {
      this.#answered = () => condition() && resolve();
      this.#answered();
    });
    await within(ms, met);
  }

  #add(addresses: readonly RedisAddress[]): void {
    for (const address of addresses) {
      const place = addressText(address);
      if (this.#links.has(place)) continue;
      const link = new SentinelLink(this.#access, address, this.#target.name, {
        onAnswer: () => this.#compare(),
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
    return [...this.#links.values()].flatMap(({ view }) =>
      view && view.answeredAtMs > sinceMs ? [view] : [],
    );
  }

  #compare(): void {
    this.#answered();
    if (!this.#isOpen) return;
    const before = this.#current as SentinelView;
    const views = this.#views();
    const newest = newestOf(views, before);
    if (!newest) return;
    const isMajority = 2 * views.length > this.#links.size;
    if (newest.epoch < before.epoch && !isMajority) return;
    this.#current = newest;
    if (addressText(newest.primary) !== addressText(before.primary)) this.#events.onPrimary(newest.primary);
  }
}

/** @param before wins among equal epochs, because during a failover they may disagree */
function newestOf(views: readonly SentinelView[], before?: SentinelView): SentinelView | undefined {
  const epoch = Math.max(...views.map(view => view.epoch));
  const newest = views.filter(view => view.epoch === epoch);
  const isSame = ({ primary }: SentinelView) =>
    before !== undefined && addressText(primary) === addressText(before.primary);
  return newest.find(isSame) ?? newest[0];
}

const ASK_INTERVAL_MS = 1_000;
/** Published by the leader of a failover before it promotes a replica. */
const PROMOTING = '+failover-state-send-slaveof-noone';
const CHANNELS = [PROMOTING, '+promoted-slave', '+switch-master'];

interface SentinelView {
  readonly primary: RedisAddress;
  /** Number of its configuration; each failover raises it. */
  readonly epoch: number;
  readonly answeredAtMs: number;
}

interface SentinelEvents {
  readonly onAnswer: () => void;
  /** A replica of the primary at this host:port is about to be promoted. */
  readonly onPromoting: (primary: string) => void;
  readonly onPeers: (peers: readonly RedisAddress[]) => void;
}

/** A connection to one Sentinel, which is asked once a second and after each of its messages about a failover. */
class SentinelLink {
  view: SentinelView | undefined;
  fault: Error | undefined;
  readonly #client: Redis;
  readonly #name: string;
  readonly #events: SentinelEvents;
  readonly #timer: NodeJS.Timeout;

  /** @param name of the primary in the Sentinels' configuration */
  constructor(access: RedisAccess, { host, port }: RedisAddress, name: string, events: SentinelEvents) {
    this.#name = name;
    this.#events = events;
    this.#client = new Redis({ ...sentinelOptions(access), host, port });
    this.#client.on('error', error => this.#fail(error));
    this.#client.on('ready', () => void this.#begin());
    this.#client.on('message', (channel: string, text: string) => this.#onMessage(channel, text));
    this.#timer = setInterval(() => void this.#ask(), ASK_INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#client.disconnect();
  }

  async #begin(): Promise<void> {
    // Other Sentinels and the next question make up for a failed subscription.
    this.#client.subscribe(...CHANNELS).catch(() => {});
    await this.#ask();
    const peers = await this.#client.call('SENTINEL', 'SENTINELS', this.#name).catch(() => []);
    if (Array.isArray(peers)) this.#events.onPeers(peers.flatMap(addressOf));
  }

  async #ask(): Promise<void> {
    if (this.#client.status !== 'ready') return;
    try {
      // Together, so that they agree. During a failover the first names the new primary.
      const replies = await this.#client
        .pipeline()
        .call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.#name)
        .call('SENTINEL', 'MASTER', this.#name)
        .exec();
      const [named, details] = (replies ?? []).map(([error, reply]) => {
        if (error) throw error;
        return reply;
      });
      const [host, port] = named as [string, string];
      this.view = {
        primary: { host, port: Number(port) },
        epoch: Number(fieldOf(details, 'config-epoch')),
        answeredAtMs: performance.now(),
      };
      this.#events.onAnswer();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    this.fault = error;
    this.#events.onAnswer();
  }

  #onMessage(channel: string, text: string): void {
    // `slave <name> <host> <port> @ <name of the primary> <host> <port>`
    const [, name, host, port] = /@ (\S+) (\S+) (\d+)$/.exec(text) ?? [];
    if (channel === PROMOTING && name === this.#name && host !== undefined)
      this.#events.onPromoting(addressText({ host, port: Number(port) }));
    else void this.#ask();
  }
}

function addressOf(peer: unknown): RedisAddress[] {
  const host = fieldOf(peer, 'ip');
  return host ? [{ host, port: Number(fieldOf(peer, 'port')) }] : [];
}

function fieldOf(fields: unknown, name: string): string | undefined {
  const list = fields as string[];
  return list[list.indexOf(name) + 1];
}
