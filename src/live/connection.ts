import { closedConnections, type Traffic, traffic } from '../metrics/catalogue.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import { NO_SLOT } from './bulk-writer.ts';
import { Frame } from './frame.ts';
import type { Seat } from './subscription.ts';

/** The bytes of a connection: WebSocket or Server-Sent Events. */
export interface Wire {
  /**
   * Writes a message. False where bytes now wait in this process, because the other side does not read.
   *
   * @param taken bytes of it that were written already by the writer that `slot` is for
   */
  write(frame: Frame, taken?: number): boolean;
  /** Its number where many are written to in one go; left out where it never is. */
  readonly slot?: number;
  /** Calls back once everything written so far has left this process. */
  whenFree(callback: () => void): void;
  /** Asks for a sign of life; a wire whose other side cannot answer sends filler. */
  probe(): void;
  /** Says why, and ends by itself soon after, whether the other side answers or not. */
  farewell(event: CloseEvent): void;
  /** Ends at once. */
  terminate(): void;
}

/** Proxies cut idle connections after about 60 s. */
const PING_INTERVAL_MS = 25_000;
/** Two pings unanswered. */
const SILENT_MS = 3 * PING_INTERVAL_MS;

/**
 * One live connection, whatever its wire and however many polls it carries. Of what cannot be written no results are kept,
 * only who asks for the newest once the wire is free; nothing is ever queued behind it.
 */
export class Connection {
  heartbeatMs = 0;
  readonly traffic: Traffic;
  readonly #wire: Wire;
  #waiting: Map<unknown, Frame | Seat> | undefined;
  // Whole milliseconds, because V8 keeps each broken number in an object of its own.
  #blockedSinceMs = 0;
  #isEnding = false;
  #heardAtMs: number;
  #pingedAtMs: number;
  #beatAtMs: number;

  /** @param nowMs monotonic milliseconds, as in every method here */
  constructor(wire: Wire, nowMs: number, counts: Traffic = traffic.websocket) {
    this.traffic = counts;
    this.#wire = wire;
    this.#heardAtMs = Math.ceil(nowMs);
    this.#pingedAtMs = this.#heardAtMs;
    this.#beatAtMs = this.#heardAtMs;
  }

  get slot(): number {
    return this.#wire.slot ?? NO_SLOT;
  }

  get isBlocked(): boolean {
    return this.#blockedSinceMs !== 0;
  }

  /** @returns false while blocked: the seat catches up once the wire is free */
  deliver(seat: Seat, frame: Frame, taken?: number): boolean {
    if (!this.isBlocked) {
      this.#write(frame, taken);
      return true;
    }
    this.traffic.conflated.value += 1;
    this.#wait(seat, seat);
    return false;
  }

  /** What nobody must miss and no seat repeats. @param topic of which the newest frame is enough */
  tell(topic: string, frame: Frame): void {
    if (this.isBlocked) this.#wait(topic, frame);
    else this.#write(frame);
  }

  /** A message that nobody misses. Dropped while blocked: a heartbeat that comes late says nothing. */
  say(frame: Frame): void {
    if (!this.isBlocked) this.#write(frame);
  }

  forget(seat: Seat): void {
    this.#waiting?.delete(seat);
  }

  /** The other side gave a sign of life. */
  heard(nowMs = performance.now()): void {
    this.#heardAtMs = Math.ceil(nowMs);
  }

  /**
   * What time alone asks for; called about once a second.
   *
   * @param slowMs how long the other side may take nothing
   * @returns undefined, or why the connection has to end
   */
  tick(nowMs: number, slowMs: number, heartbeat: () => Frame): 'slow' | undefined {
    if (this.isBlocked && nowMs - this.#blockedSinceMs > slowMs) return 'slow';
    if (nowMs - this.#heardAtMs > SILENT_MS) return 'slow';
    if (nowMs - Math.max(this.#pingedAtMs, this.#heardAtMs) > PING_INTERVAL_MS) {
      this.#pingedAtMs = Math.ceil(nowMs);
      this.#wire.probe();
    }
    if (this.heartbeatMs > 0 && nowMs - this.#beatAtMs >= this.heartbeatMs) {
      this.#beatAtMs = Math.ceil(nowMs);
      this.say(heartbeat());
    }
    return undefined;
  }

  close(event: CloseEvent): void {
    // Who does not leave is told again.
    if (!this.#isEnding) closedConnections.of({ reason: event.reason }).value += 1;
    this.#isEnding = true;
    this.#wire.farewell(event);
  }

  terminate(): void {
    this.#wire.terminate();
  }

  #wait(topic: string | Seat, frame: Frame | Seat): void {
    this.#waiting ??= new Map();
    this.#waiting.set(topic, frame);
  }

  #write(frame: Frame, taken?: number): void {
    const { wire, frames, bytes } = this.traffic;
    frames.value += 1;
    if (frame.isPublic) bytes.value += wire === 'sse' ? frame.sse.length : frame.websocket.length;
    if (this.#wire.write(frame, taken)) return;
    this.#blockedSinceMs = Math.ceil(performance.now());
    this.#wire.whenFree(() => this.#onFree());
  }

  #onFree(): void {
    this.#blockedSinceMs = 0;
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    for (const [topic, next] of waiting)
      if (next instanceof Frame) this.tell(topic as string, next);
      else next.catchUp();
  }
}
