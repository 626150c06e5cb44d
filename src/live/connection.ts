import { closedConnections, type Traffic } from '../metrics/catalogue.ts';
import type { PollId } from '../poll/poll.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
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

/** What a connection tells the registry that tracks it. */
interface Registry {
  add(connection: Connection, address: string): void;
  /** Runs a listener, whose error is not the connection's. */
  attempt(connection: Connection, listen: () => void): void;
  remove(connection: Connection): void;
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
  #registry: Registry | undefined;
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

  register(registry: Registry, address: string): void {
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
