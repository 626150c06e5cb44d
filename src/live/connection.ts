import { closedConnections, type Traffic } from '../metrics/catalogue.ts';
import type { PollId } from '../poll/poll.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import { errorFrame } from './error-frame.ts';
import { Frame } from './frame.ts';

/** What a connection carries. */
export interface Session {
  /** A text message of the client; never called for a stream of events. */
  message(text: string): void;
  /** The hub has ended a subscription of the connection. */
  onSubscriptionEnd(id: PollId, event: CloseEvent): void;
  /** The connection is closed. */
  close(): void;
}

/** A subscription, as far as its connection knows it. */
export interface ConnectedSubscription {
  readonly id: PollId;
  /** Called on drain, where results were dropped meanwhile. */
  sendLatest(): void;
}

/** Where live connections are counted. */
export interface Registry {
  add(connection: Connection, address: string): void;
  remove(connection: Connection): void;
  /** Runs a listener of one connection. A fault in it ends this connection and no other. */
  attempt(connection: Connection, listen: () => void): void;
}

/** Of a connection that cannot be written to in a batch. */
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

/** Proxies cut idle connections after about 60 s. */
const PING_INTERVAL_MS = 25_000;
/** Two pings unanswered. */
const SILENT_MS = 3 * PING_INTERVAL_MS;

/**
 * One live connection, a WebSocket or a stream of events, with the subscriptions that it carries. Results never queue here: a
 * blocked connection remembers which subscriptions have to catch up, and each pulls the newest results on drain.
 */
export abstract class Connection {
  heartbeatMs = 0;
  session: Session | undefined;
  readonly traffic: Traffic;
  #registry: Registry | undefined;
  /** Subscriptions that catch up on drain, and queued frames by topic, in order. */
  #waiting: Map<string | ConnectedSubscription, Frame | ConnectedSubscription> | undefined;
  // Whole milliseconds, because V8 keeps each fraction in an object of its own.
  #blockedSinceMs = 0;
  #isClosing = false;
  #aliveAtMs: number;
  #pingedAtMs: number;
  #beatAtMs: number;

  /** @param nowMs monotonic milliseconds, as in every method here */
  constructor(traffic: Traffic, nowMs = performance.now()) {
    this.traffic = traffic;
    this.#aliveAtMs = Math.ceil(nowMs);
    this.#pingedAtMs = this.#aliveAtMs;
    this.#beatAtMs = this.#aliveAtMs;
  }

  /** The connection in the slots of `batchWriter`. */
  get slot(): number {
    return NO_SLOT;
  }

  /** Writes to many connections of this kind at once; undefined where that is not possible. */
  get batchWriter(): BatchWriter | undefined {
    return undefined;
  }

  get isBlocked(): boolean {
    return this.#blockedSinceMs !== 0;
  }

  /**
   * Sends results, unless the connection is blocked: then they are dropped, and the subscription sends its latest on drain.
   *
   * @param taken bytes of the frame that a batch writer has sent already
   * @returns false where they are dropped
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

  /** Sends now or on drain. Of one topic only the newest frame is kept. */
  queue(topic: string, frame: Frame): void {
    if (this.isBlocked) this.#wait(topic, frame);
    else this.#write(frame, 0);
  }

  /** Sends, unless the connection is blocked: then the frame is dropped. */
  sendOrDrop(frame: Frame): void {
    if (!this.isBlocked) this.#write(frame, 0);
  }

  /** The subscription has left: it has nothing to catch up on. */
  forget(subscription: ConnectedSubscription): void {
    this.#waiting?.delete(subscription);
  }

  markAlive(nowMs = performance.now()): void {
    this.#aliveAtMs = Math.ceil(nowMs);
  }

  /**
   * Pings, sends heartbeats and detects slow readers; called about once a second.
   *
   * @param slowMs how long the other side may take nothing
   * @returns `slow` where the connection has to be closed
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

  /** Sends the close event and ends soon after, whether the other side answers or not. Calling it twice does no harm. */
  close(event: CloseEvent): void {
    if (!this.#isClosing) closedConnections.of({ reason: event.reason }).value += 1;
    this.#isClosing = true;
    this.sendClose(event);
  }

  /** Sends the reason as an `error` message before the close, because browsers hide a failed upgrade. */
  refuse(event: CloseEvent, id?: string, message?: string): void {
    const frame = errorFrame(event, id === undefined ? {} : { id }, message);
    if (frame) this.sendOrDrop(frame);
    this.close(event);
  }

  /** The hub has ended a subscription of this connection. */
  onSubscriptionEnd(subscription: ConnectedSubscription, event: CloseEvent): void {
    this.forget(subscription);
    this.session?.onSubscriptionEnd(subscription.id, event);
  }

  /** Counts among the live connections until `onClosed`. */
  register(registry: Registry, address: string): void {
    this.#registry = registry;
    registry.add(this, address);
  }

  /** Runs a listener. A fault in it ends this connection and no other. */
  protected attempt(listen: () => void): void {
    if (this.#registry) this.#registry.attempt(this, listen);
    else listen();
  }

  /** The socket is closed. */
  onClosed(): void {
    this.#registry?.remove(this);
    this.attempt(() => this.session?.close());
    this.session = undefined;
  }

  /** Ends at once. */
  abstract terminate(): void;

  /** @returns false where bytes now wait in this process because the other side does not read */
  protected abstract write(frame: Frame, taken: number): boolean;

  /** Calls back once all that was written has left this process. */
  protected abstract onceDrained(callback: () => void): void;

  /** Asks for a sign of life; sends filler where the other side cannot answer. */
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
