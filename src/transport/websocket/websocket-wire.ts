import type { WebSocket } from 'ws';
import type { Frame } from '../../frame/frame.ts';
import type { CloseEvent } from '../../protocol/close-event.ts';
import type { Wire } from '../connection.ts';

const NOTHING = Buffer.alloc(0);

/** The TCP socket under a `ws` connection, as far as we use it. */
interface RawSocket {
  readonly writableLength: number;
  write(bytes: Uint8Array, callback?: () => void): boolean;
}

/**
 * A `ws` connection that is written past its sender: the frame comes framed already, the same bytes for every socket, while
 * `ws.send()` would frame it anew for each. Safe because nothing here is ever compressed, so `ws` holds nothing back.
 */
export class WebsocketWire implements Wire {
  readonly #socket: WebSocket;
  readonly #raw: RawSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#raw = (socket as unknown as { _socket: RawSocket })._socket;
  }

  write(frame: Frame): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return true;
    this.#raw.write(frame.websocket);
    // The kernel takes what it can within the call; what it did not take waits here.
    return this.#raw.writableLength === 0;
  }

  whenFree(callback: () => void): void {
    this.#raw.write(NOTHING, callback);
  }

  ping(): void {
    this.#socket.ping();
  }

  close(event: CloseEvent): void {
    this.#socket.close(event.code, event.reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }
}
