import type { FastifyBaseLogger } from 'fastify';
import { blockedConnections, connections } from '../metrics/catalogue.ts';
import type { LabeledValues } from '../metrics/metric.ts';
import { type CloseEvent, RelayClosing, SlowSubscriber } from '../protocol/close-event.ts';
import { type Connection, nextTurn, SLICE } from './connection.ts';
import { Frame } from './frame.ts';

/** A connection that stays blocked for this long is closed. */
const SLOW_MS = 30_000;
const TICK_MS = 1_000;
/** Clients reconnect to another relay at once, which accepts about that many beside its own work. */
const DRAINED_PER_MS = 1;
/** Bounds a drain, however many connections there are. */
const DRAIN_MS = 3_000;
const DRAIN_BATCH = 20;
/** Clients that have not answered a close by then are terminated. */
const CLOSE_TIMEOUT_MS = 2_000;

/** The connections of a server: their limit for each address, their pings, and the drain at a stop. */
export class ConnectionRegistry {
  readonly #connections = new Map<Connection, string>();
  readonly #perAddress = new Map<string, number>();
  readonly maxPerAddress: number;
  readonly #slowMs: number;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #isTicking = false;
  #isDraining = false;
  readonly #endGauges: readonly (() => void)[];

  /** @param onError called with an error thrown by a listener of one connection; default: throws it again */
  constructor(maxPerAddress: number, slowMs = SLOW_MS, onError = rethrow) {
    this.#onError = onError;
    this.maxPerAddress = maxPerAddress;
    this.#slowMs = slowMs;
    this.#endGauges = [
      connections.read(() => this.#countByWire(() => true)),
      blockedConnections.read(() => this.#countByWire(({ isBlocked }) => isBlocked)),
    ];
  }

  get size(): number {
    return this.#connections.size;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  hasRoomFor(address: string): boolean {
    return (this.#perAddress.get(address) ?? 0) < this.maxPerAddress;
  }

  /**
   * Reserves room for one connection.
   *
   * @returns releases it, to be called once; undefined if the address has reached its limit
   */
  hold(address: string): (() => void) | undefined {
    if (!this.hasRoomFor(address)) return undefined;
    this.#count(address, 1);
    return () => this.#count(address, -1);
  }

  /** Runs a listener of one connection. An error in it closes only this connection. */
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

  /** Closes all connections, spread over time. @returns how many did not answer and were terminated */
  async close(event: CloseEvent = RelayClosing): Promise<number> {
    this.#isDraining = true;
    await this.#closeAll(event);
    const deadline = performance.now() + CLOSE_TIMEOUT_MS;
    while (this.size > 0 && performance.now() < deadline) await pause(20);
    const unanswered = [...this.#connections.keys()];
    for (const connection of unanswered) connection.terminate();
    clearInterval(this.#timer);
    for (const end of this.#endGauges) end();
    return unanswered.length;
  }

  async drain(log: FastifyBaseLogger): Promise<void> {
    const beganMs = performance.now();
    const connections = this.size;
    log.info({ connections }, 'closing live connections');
    const terminated = await this.close();
    const durationMs = Math.round(performance.now() - beganMs);
    log.info({ connections, terminated, durationMs }, 'live connections closed');
  }

  #countByWire(counts: (connection: Connection) => boolean): LabeledValues {
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
    if (this.#isTicking) return;
    this.#isTicking = true;
    const nowMs = performance.now();
    let frame: Frame | undefined;
    const heartbeat = () => {
      frame ??= Frame.of({ type: 'heartbeat', timestamp: Math.floor(Date.now() / 1000) });
      return frame;
    };
    for (const [index, connection] of [...this.#connections.keys()].entries()) {
      if (index > 0 && index % SLICE === 0) await nextTurn();
      if (!this.#connections.has(connection)) continue;
      this.attempt(connection, () => {
        if (connection.tick(nowMs, this.#slowMs, heartbeat) === 'slow') connection.close(SlowSubscriber);
      });
    }
    this.#isTicking = false;
  }

  async #closeAll(event: CloseEvent): Promise<void> {
    const startMs = performance.now();
    const total = this.size;
    const spreadMs = Math.min(DRAIN_MS, total / DRAINED_PER_MS);
    let count = 0;
    // Upgrades in flight are appended to the map meanwhile.
    for (const connection of this.#connections.keys()) {
      connection.close(event);
      count += 1;
      if (count % DRAIN_BATCH > 0) continue;
      await pause(Math.max(0, startMs + (count / total) * spreadMs - performance.now()));
    }
  }
}

function rethrow(error: unknown): void {
  throw error;
}

/** With the global timer, which tests hold: they do not hold that of `node:timers/promises`. */
function pause(ms: number): Promise<void> {
  return new Promise(done => setTimeout(done, ms));
}
