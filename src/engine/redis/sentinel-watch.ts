import type { RedisAccess } from './redis-profile.ts';
import { addressText, describeTarget, type RedisAddress, type SentinelTarget } from './redis-url.ts';
import { SentinelLink, type SentinelView } from './sentinel-link.ts';
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
