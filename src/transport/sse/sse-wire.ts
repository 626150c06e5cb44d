import type { ServerResponse } from 'node:http';
import type { Frame } from '../../frame/frame.ts';
import type { CloseEvent } from '../../protocol/close-event.ts';
import type { Wire } from '../connection.ts';

const COMMENT = Buffer.from(': keep-alive\n\n');
const NOTHING = Buffer.alloc(0);
/** Back within a few seconds, but not all in the same one. */
const RETRY_MS = { min: 1_000, spread: 4_000 };
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

  farewell(_event: CloseEvent): void {
    const retryMs = Math.round(RETRY_MS.min + Math.random() * RETRY_MS.spread);
    if (this.#response.writableEnded) return;
    this.#response.end(`retry: ${retryMs}\n\n`);
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
