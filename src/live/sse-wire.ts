import type { ServerResponse } from 'node:http';
import { type CloseEvent, RelayClosing } from '../protocol/close-event.ts';
import type { Wire } from './connection.ts';
import type { Frame } from './frame.ts';

const COMMENT = Buffer.from(': keep-alive\n\n');
const NOTHING = Buffer.alloc(0);
/** Back within a few seconds, but not all in the same one. */
const RETRY_MS = { min: 1_000, spread: 4_000 };
/** Back at once, at another relay: a relay that leaves tells one after the other (roster.ts). */
const MOVE_MS = { min: 100, spread: 400 };
/** How long the last bytes may take to leave. */
const FAREWELL_MS = 2_000;

/**
 * Server-Sent Events on a response whose headers are out. The body ends with the connection and is not chunked, so the
 * bytes of a frame are the same for all.
 */
export class SseWire implements Wire {
  readonly #response: ServerResponse;
  /** A comment needs no answer, so the kernel's word that it took the bytes is the sign of life. */
  readonly #onAlive: () => void;

  constructor(response: ServerResponse, onAlive: () => void) {
    this.#response = response;
    this.#onAlive = onAlive;
    // Who was told to move has kept that short pause until here.
    this.#writeBytes(Buffer.from(retryWithin(RETRY_MS)));
  }

  write(frame: Frame): boolean {
    return this.#writeBytes(frame.sse);
  }

  whenFree(callback: () => void): void {
    this.#response.socket?.write(NOTHING, callback);
  }

  probe(): void {
    if (this.#writeBytes(COMMENT)) this.#onAlive();
  }

  farewell(event: CloseEvent): void {
    if (this.#response.writableEnded) return;
    this.#response.end(retryWithin(event === RelayClosing ? MOVE_MS : RETRY_MS));
    // An end waits behind all that the other side does not read, for ever.
    setTimeout(() => this.terminate(), FAREWELL_MS).unref();
  }

  terminate(): void {
    this.#response.destroy();
  }

  #writeBytes(bytes: Buffer): boolean {
    const { socket } = this.#response;
    if (!socket?.writable) return true;
    socket.write(bytes);
    return socket.writableLength === 0;
  }
}

/** A pause that an `EventSource` keeps for all that follows, until it is told another one. */
function retryWithin({ min, spread }: typeof RETRY_MS): string {
  return `retry: ${Math.round(min + Math.random() * spread)}\n\n`;
}
