import { type Traffic, traffic } from '../metrics/catalogue.ts';
import { BadMessage, type CloseEvent, TooMany } from '../protocol/close-event.ts';
import { type BulkWriter, NO_SLOT } from './bulk-writer.ts';
import { Connection } from './connection.ts';
import type { Roster } from './connection-registry.ts';
import { errorFrame } from './error-frame.ts';
import { LeanBulkWriter } from './lean-bulk-writer.ts';
import type { Seat, Subscriber } from './subscription.ts';
import type { WebsocketOwner, WebsocketWire } from './websocket-wire.ts';

/** A hundred polls may be subscribed to at once, and all of them again; after that, a message every 100 ms. */
const BURST = 200;
const REFILL_MS = 100;

/** How many messages a connection may still send: a token bucket without a timer. */
export class MessageBudget {
  #tokens = BURST;
  #countedAtMs: number;

  /** @param nowMs monotonic milliseconds */
  constructor(nowMs: number) {
    this.#countedAtMs = nowMs;
  }

  spend(nowMs: number): boolean {
    const refill = Math.floor((nowMs - this.#countedAtMs) / REFILL_MS);
    this.#tokens = Math.min(BURST, this.#tokens + refill);
    this.#countedAtMs += refill * REFILL_MS;
    if (this.#tokens === 0) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** What a connection carries. */
export interface Session {
  /** A text message of the other side. Answers with the event that must end the connection, if any. */
  message(text: string): CloseEvent | undefined;
  /** A seat of the connection has come to its end. */
  end(seat: Seat, event: CloseEvent): void;
  /** The connection is gone. */
  close(): void;
}

const bulkWriters = new Map<Traffic, BulkWriter>(
  Object.values(traffic).map(counts => [counts, new LeanBulkWriter(counts)]),
);

/** A connection that is on the roster, and whatever it carries once it is known. */
export class WebsocketConnection extends Connection implements WebsocketOwner, Subscriber {
  session: Session | undefined;
  readonly #roster: Roster;
  /** Nearly every connection never says a word. */
  #budget: MessageBudget | undefined;

  constructor(socket: WebsocketWire, roster: Roster, address: string, counts?: Traffic) {
    super(socket, performance.now(), counts);
    this.#roster = roster;
    socket.owner = this;
    roster.add(this, address);
  }

  text(text: string): void {
    if (!this.control()) return;
    this.#roster.attempt(this, () => {
      const event = this.session ? this.session.message(text) : BadMessage;
      if (event) refuse(this, event);
    });
  }

  control(): boolean {
    const nowMs = performance.now();
    this.heard(nowMs);
    this.#budget ??= new MessageBudget(nowMs);
    const isWithin = this.#budget.spend(nowMs);
    if (!isWithin) refuse(this, TooMany);
    return isWithin;
  }

  get bulk(): BulkWriter | undefined {
    return this.slot === NO_SLOT ? undefined : bulkWriters.get(this.traffic);
  }

  end(seat: Seat, event: CloseEvent): void {
    this.forget(seat);
    this.session?.end(seat, event);
  }

  closed(): void {
    this.#roster.remove(this);
    this.#roster.attempt(this, () => this.session?.close());
    this.session = undefined;
  }
}

/** @returns undefined where the address has too many connections already */
export function acceptWebsocket(
  socket: WebsocketWire,
  roster: Roster,
  address: string,
  counts: Traffic,
): WebsocketConnection | undefined {
  const hasRoom = roster.hasRoomFor(address);
  const connection = new WebsocketConnection(socket, roster, address, counts);
  if (hasRoom) return connection;
  refuse(connection, TooMany);
  return undefined;
}

/** Told in words first, because a browser shows a page nothing of a failed upgrade. */
export function refuse(connection: Connection, event: CloseEvent, id?: string, message?: string): void {
  const frame = errorFrame(event, id === undefined ? {} : { id }, message);
  if (frame) connection.say(frame);
  connection.close(event);
}
