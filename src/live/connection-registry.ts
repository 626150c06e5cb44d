import { blockedConnections, connections } from '../metrics/catalogue.ts';
import type { Reading } from '../metrics/metric.ts';
import { type CloseEvent, RelayClosing, SlowSubscriber } from '../protocol/close-event.ts';
import type { Connection } from './connection.ts';
import { Frame } from './frame.ts';
import { nextTurn, SLICE } from './slice.ts';

/** A subscriber that takes nothing for this long is closed (contract, section 5). */
export const SLOW_MS = 30_000;
const TICK_MS = 1_000;
/**
 * Whoever is told to leave is at another relay a moment later, so they are told one after the other, as fast as that one can greet
 * them beside its own work. Until its turn a connection is served as ever: the spread costs nobody anything.
 */
const LEAVING_PER_MS = 1;
/** However many there are, the last one is told after this time: see leave-gracefully.ts for what follows. */
const LEAVING_MS = 3_000;
const LEAVING_BATCH = 20;
/** How long a farewell may take before the connection is cut. */
const FAREWELL_MS = 2_000;

/** Every live connection of this process, and the one timer that they share: none of them has a timer of its own. */
export class Roster {
  readonly #connections = new Map<Connection, string>();
  readonly #perAddress = new Map<string, number>();
  readonly maxPerAddress: number;
  readonly #slowMs: number;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #ticking = false;
  #isLeaving = false;
  readonly #endReading: () => void;

  /** @param onError a fault of this program in an event of one connection; left out, it is thrown again */
  constructor(maxPerAddress: number, slowMs = SLOW_MS, onError = rethrow) {
    this.maxPerAddress = maxPerAddress;
    this.#onError = onError;
    this.#slowMs = slowMs;
    const ends = [
      connections.read(() => this.#countByWire(() => true)),
      blockedConnections.read(() => this.#countByWire(({ isBlocked }) => isBlocked)),
    ];
    this.#endReading = () => ends.forEach(end => void end());
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Farewell is being said, and whoever comes from now on had better go elsewhere. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  hasRoomFor(address: string): boolean {
    return (this.#perAddress.get(address) ?? 0) < this.maxPerAddress;
  }

  /**
   * Counts one more of an address while it is not known yet whether a connection comes of it.
   *
   * @returns undefined where there is no room, or else what gives the room back, to be called once
   */
  hold(address: string): (() => void) | undefined {
    if (!this.hasRoomFor(address)) return undefined;
    this.#count(address, 1);
    return () => this.#count(address, -1);
  }

  /** Runs a listener of one connection. A fault in it ends this connection and reaches no other. */
  attempt(connection: Connection, listen: () => void): void {
    try {
      listen();
    } catch (error) {
      this.#onError(error);
      connection.terminate();
    }
  }

  add(connection: Connection, address: string): void {
    this.#connections.set(connection, address);
    connection.traffic.opened.value += 1;
    this.#count(address, 1);
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  remove(connection: Connection): void {
    const address = this.#connections.get(connection);
    if (address === undefined) return;
    this.#connections.delete(connection);
    this.#count(address, -1);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Says farewell to all, and cuts those who do not answer. @returns how many were cut */
  async close(event: CloseEvent = RelayClosing): Promise<number> {
    this.#isLeaving = true;
    await this.#spreadOver(connection => connection.close(event));
    const deadline = performance.now() + FAREWELL_MS;
    while (this.size > 0 && performance.now() < deadline) await pause(20);
    const cut = [...this.#connections.keys()];
    for (const connection of cut) connection.terminate();
    clearInterval(this.#timer);
    this.#endReading();
    return cut.length;
  }

  #countByWire(counts: (connection: Connection) => boolean): Reading {
    const found = { websocket: 0, multiplexed: 0, sse: 0 };
    for (const connection of this.#connections.keys())
      if (counts(connection)) found[connection.traffic.wire] += 1;
    return Object.entries(found).map(([wire, count]) => [{ wire }, count]);
  }

  #count(address: string, change: 1 | -1): void {
    const count = (this.#perAddress.get(address) ?? 0) + change;
    if (count > 0) this.#perAddress.set(address, count);
    else this.#perAddress.delete(address);
  }

  async #tick(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    const nowMs = performance.now();
    let frame: Frame | undefined;
    const heartbeat = () => {
      frame ??= Frame.of({ type: 'heartbeat', timestamp: Math.floor(Date.now() / 1000) });
      return frame;
    };
    await this.#each(connection => {
      this.attempt(connection, () => {
        if (connection.tick(nowMs, this.#slowMs, heartbeat) === 'slow') connection.close(SlowSubscriber);
      });
    });
    this.#ticking = false;
  }

  async #spreadOver(act: (connection: Connection) => void): Promise<void> {
    const total = this.size;
    const spreadMs = Math.min(LEAVING_MS, total / LEAVING_PER_MS);
    const startMs = performance.now();
    let count = 0;
    // Who comes meanwhile, because its upgrade was under way, is at the end of this list.
    for (const connection of this.#connections.keys()) {
      act(connection);
      count += 1;
      if (count % LEAVING_BATCH > 0) continue;
      const aheadMs = startMs + (count / total) * spreadMs - performance.now();
      await pause(Math.max(0, aheadMs));
    }
  }

  async #each(act: (connection: Connection) => void): Promise<void> {
    let inSlice = 0;
    for (const connection of [...this.#connections.keys()]) {
      if (this.#connections.has(connection)) act(connection);
      inSlice += 1;
      if (inSlice % SLICE === 0) await nextTurn();
    }
  }
}

function rethrow(error: unknown): void {
  throw error;
}

function pause(ms: number): Promise<void> {
  return new Promise(done => setTimeout(done, ms));
}
