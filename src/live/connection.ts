import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { blockedConnections, closedConnections, connections, type Traffic } from '../metrics/catalogue.ts';
import type { Reading } from '../metrics/metric.ts';
import type { PollId } from '../poll/poll.ts';
import { type CloseEvent, RelayClosing, SlowSubscriber } from '../protocol/close-event.ts';
import { errorFrame, Frame } from './frame.ts';

/** Deliveries in one turn of the event loop: about 10 ms of writes on a slow core. */
export const SLICE = 500;

export function nextTurn(): Promise<void> {
  return new Promise(setImmediate);
}

export interface Session {
  /** Handles a text message of the client; never called for an event stream. */
  message(text: string): void;
  /** The hub has ended a subscription of the connection. */
  onSubscriptionEnd(id: PollId, event: CloseEvent): void;
  close(): void;
}

export interface ConnectedSubscription {
  readonly id: PollId;
  sendLatest(): void;
}

/** The slot of a connection without batch writes. */
export const NO_SLOT = 0;

/**
 * Writes a frame to the slots from `start` up to `end`. MUST NOT throw.
 *
 * @param onShort called for each slot that did not take the whole frame: its index, and how many bytes it took
 */
export type BatchWriter = (
  frame: Frame,
  slots: Int32Array,
  start: number,
  end: number,
  onShort: (index: number, taken: number) => void,
) => void;

/** Proxies close idle connections after about 60 s. */
const PING_INTERVAL_MS = 25_000;
const SILENT_MS = 3 * PING_INTERVAL_MS;

/**
 * A WebSocket or an event stream. Results never queue here: a blocked connection remembers which
 * subscriptions missed an update, and each pulls the newest results on drain.
 */
export abstract class Connection {
  heartbeatMs = 0;
  session: Session | undefined;
  readonly traffic: Traffic;
  #registry: ConnectionRegistry | undefined;
  /** Subscriptions to call on drain, and queued frames by topic, in order. */
  #waiting: Map<string | ConnectedSubscription, Frame | ConnectedSubscription> | undefined;
  // Whole milliseconds, because V8 keeps each fraction in an object of its own.
  #blockedSinceMs = 0;
  #isClosing = false;
  #aliveAtMs: number;
  #pingedAtMs: number;
  #beatAtMs: number;

  /** @param nowMs monotonic milliseconds, as in every method */
  constructor(traffic: Traffic, nowMs = performance.now()) {
    this.traffic = traffic;
    this.#aliveAtMs = Math.ceil(nowMs);
    this.#pingedAtMs = this.#aliveAtMs;
    this.#beatAtMs = this.#aliveAtMs;
  }

  get slot(): number {
    return NO_SLOT;
  }

  /** Writes to many connections of this kind at once; undefined if unsupported. */
  get batchWriter(): BatchWriter | undefined {
    return undefined;
  }

  get isBlocked(): boolean {
    return this.#blockedSinceMs !== 0;
  }

  /**
   * Sends results. A blocked connection drops them and calls `sendLatest()` of the subscription on drain.
   *
   * @param taken bytes of the frame that a batch writer has already sent
   * @returns false if the results were dropped
   */
  sendResults(subscription: ConnectedSubscription, frame: Frame, taken = 0): boolean {
    if (!this.isBlocked) {
      this.#write(frame, taken);
      return true;
    }
    this.traffic.conflated.value += 1;
    this.#wait(subscription, subscription);
    return false;
  }

  /** Sends now or on drain. Only the newest frame of a topic is kept. */
  queue(topic: string, frame: Frame): void {
    if (this.isBlocked) this.#wait(topic, frame);
    else this.#write(frame, 0);
  }

  sendOrDrop(frame: Frame): void {
    if (!this.isBlocked) this.#write(frame, 0);
  }

  forget(subscription: ConnectedSubscription): void {
    this.#waiting?.delete(subscription);
  }

  markAlive(nowMs = performance.now()): void {
    this.#aliveAtMs = Math.ceil(nowMs);
  }

  /**
   * Pings, sends heartbeats and detects slow readers; called about once a second.
   *
   * @param slowMs how long the connection may stay blocked
   * @returns `slow` if the connection must be closed
   */
  tick(nowMs: number, slowMs: number, heartbeat: () => Frame): 'slow' | undefined {
    if (this.isBlocked && nowMs - this.#blockedSinceMs > slowMs) return 'slow';
    if (nowMs - this.#aliveAtMs > SILENT_MS) return 'slow';
    if (nowMs - Math.max(this.#pingedAtMs, this.#aliveAtMs) > PING_INTERVAL_MS) {
      this.#pingedAtMs = Math.ceil(nowMs);
      this.ping();
    }
    if (this.heartbeatMs > 0 && nowMs - this.#beatAtMs >= this.heartbeatMs) {
      this.#beatAtMs = Math.ceil(nowMs);
      this.sendOrDrop(heartbeat());
    }
    return undefined;
  }

  /** Sends the close event and ends the connection soon after, answered or not. Idempotent. */
  close(event: CloseEvent): void {
    if (!this.#isClosing) closedConnections.of({ reason: event.reason }).value += 1;
    this.#isClosing = true;
    this.sendClose(event);
  }

  /** Sends an `error` message before the close, because browsers hide why an upgrade failed. */
  refuse(event: CloseEvent, id?: string, message?: string): void {
    const frame = errorFrame(event, id === undefined ? {} : { id }, message);
    if (frame) this.sendOrDrop(frame);
    this.close(event);
  }

  onSubscriptionEnd(subscription: ConnectedSubscription, event: CloseEvent): void {
    this.forget(subscription);
    this.session?.onSubscriptionEnd(subscription.id, event);
  }

  register(registry: ConnectionRegistry, address: string): void {
    this.#registry = registry;
    registry.add(this, address);
  }

  protected attempt(listen: () => void): void {
    if (this.#registry) this.#registry.attempt(this, listen);
    else listen();
  }

  onClosed(): void {
    this.#registry?.remove(this);
    this.attempt(() => this.session?.close());
    this.session = undefined;
  }

  /** Destroys the socket. */
  abstract terminate(): void;

  /** @returns false if bytes now wait in this process because the client does not read */
  protected abstract write(frame: Frame, taken: number): boolean;

  /** Calls back once all written bytes have left this process. */
  protected abstract onceDrained(callback: () => void): void;

  protected abstract ping(): void;

  protected abstract sendClose(event: CloseEvent): void;

  #wait(topic: string | ConnectedSubscription, next: Frame | ConnectedSubscription): void {
    this.#waiting ??= new Map();
    this.#waiting.set(topic, next);
  }

  #write(frame: Frame, taken: number): void {
    const { wire, frames, bytes } = this.traffic;
    frames.value += 1;
    if (frame.isPublic) bytes.value += wire === 'sse' ? frame.sse.length : frame.websocket.length;
    if (this.write(frame, taken)) return;
    this.#blockedSinceMs = Math.ceil(performance.now());
    this.onceDrained(() => this.#onDrain());
  }

  #onDrain(): void {
    this.#blockedSinceMs = 0;
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    for (const [topic, next] of waiting)
      if (next instanceof Frame) this.queue(topic as string, next);
      else next.sendLatest();
  }
}

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
