import { Socket } from 'node:net';
import WebSocket from 'ws';
import { type CloseEvent, MessageTooBig, TooMany } from '../protocol/close-event.ts';
import { NO_SLOT } from './bulk-writer.ts';
import { descriptors } from './descriptor-table.ts';
import { descriptorOf, writeDirectly } from './direct-write.ts';
import type { Frame } from './frame.ts';
import { type FrameListener, FrameReader } from './frame-reader.ts';
import { releaseHandshake } from './held-handshakes.ts';
import { OPCODE_PING, OPCODE_PONG, websocketClose, websocketControl } from './websocket-bytes.ts';
import { PROTOCOL_ERROR_REASON, type WebsocketOwner, type WebsocketWire } from './websocket-wire.ts';

const PING = websocketControl(OPCODE_PING, new Uint8Array());
const NO_CODE = 1005;
const NOTHING = Buffer.alloc(0);
/** How long the other side may take to answer a close. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Of pings that came together the newest is answered (RFC 6455, section 5.5.3). Bytes are read within one call, so it serves all. */
let newestPing: Buffer | undefined;

/** The owner of a TCP socket, found from its listeners, so that they can be the same functions for all sockets. */
const owned = Symbol('websocket');
type OwnedSocket = Socket & { [owned]?: LeanWebSocket };

/**
 * A connection that `ws` has shaken hands with (its `WebSocket` option puts this class in place of its own) and that is read
 * and written without the streams, senders and listeners that `ws` keeps for each socket. Frames come framed already, the
 * same bytes for every socket. What that gains, and what it leans on, is in README.md beside this file.
 */
export class LeanWebSocket extends WebSocket implements WebsocketWire, FrameListener {
  owner: WebsocketOwner | undefined;
  #tcp: Socket | undefined;
  #reader: FrameReader | undefined = new FrameReader();
  #slot = NO_SLOT;
  #isClosing = false;

  /** Called by `ws` once the handshake is written, in place of its own. */
  setSocket(tcp: OwnedSocket, head: Buffer): void {
    this.#tcp = tcp;
    this.#slot = descriptors.open();
    tcp[owned] = this;
    tcp.setTimeout(0);
    tcp.setNoDelay();
    if (head.length > 0) tcp.unshift(head);
    tcp.on('data', onData);
    tcp.on('end', onEnd);
    tcp.on('error', onError);
    tcp.on('close', onClose);
    tcp._destroy = destroyOwned;
  }

  get slot(): number {
    return this.#slot;
  }

  write(frame: Frame, taken = 0): boolean {
    if (taken > 0) return this.#writeToStream(frame.websocket.subarray(taken));
    return this.#writeBytes(frame.websocket);
  }

  whenFree(callback: () => void): void {
    this.#tcp?.write(NOTHING, callback);
  }

  probe(): void {
    this.#writeBytes(PING);
  }

  farewell(event: CloseEvent): void {
    // Who floods is not read to the end.
    if (event === TooMany) this.#expel(event);
    else this.#finish(event);
  }

  override terminate(): void {
    this.#tcp?.destroy();
  }

  onText(text: string): void {
    if (!this.#isClosing) this.owner?.text(text);
  }

  onPing(payload: Buffer): void {
    if (!this.#isClosing && this.owner?.control()) newestPing = payload;
  }

  onPong(): void {
    if (!this.#isClosing) this.owner?.control();
  }

  onCloseFrame(code: number): void {
    this.#finish({ code: code === NO_CODE ? 1000 : code, reason: '' });
    this.#tcp?.end();
  }

  onViolation(code: number): void {
    this.#expel(code === MessageTooBig.code ? MessageTooBig : { code, reason: PROTOCOL_ERROR_REASON });
  }

  /** The other side has nothing more to say. */
  ended(): void {
    descriptors.set(this.#slot, 0);
    this.#tcp?.end();
  }

  /** The descriptor of the TCP socket is about to be closed. */
  destroyed(): void {
    descriptors.set(this.#slot, 0);
  }

  /** The TCP socket is gone. */
  gone(): void {
    this.owner?.closed();
    this.owner = undefined;
    descriptors.close(this.#slot);
  }

  data(chunk: Buffer): void {
    newestPing = undefined;
    this.#reader?.read(chunk, this);
    // Who pings without reading the answers gets none.
    if (newestPing && !this.#isWaiting) this.#writeBytes(websocketControl(OPCODE_PONG, newestPing));
  }

  get #isWaiting(): boolean {
    return this.#tcp?.writableLength !== 0;
  }

  /** Says why, and hears nothing more. */
  #expel(event: CloseEvent): void {
    this.#reader = undefined;
    this.#finish(event);
    this.#tcp?.end();
    this.#tcp?.pause();
  }

  #finish({ code, reason }: CloseEvent): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    descriptors.set(this.#slot, 0);
    this.#tcp?.write(websocketClose(code, reason));
    setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  #writeBytes(bytes: Buffer): boolean {
    const tcp = this.#tcp;
    let descriptor = descriptors.get(this.#slot);
    if (descriptor === 0) {
      if (!tcp?.writable || this.#isClosing) return true;
      // What the stream has not handed on yet goes before.
      if (tcp.writableLength === 0) descriptor = descriptorOf(tcp) ?? 0;
      descriptors.set(this.#slot, descriptor);
    }
    const taken = writeDirectly(descriptor, bytes);
    return taken === bytes.length || this.#writeToStream(bytes.subarray(taken));
  }

  #writeToStream(bytes: Buffer): boolean {
    const tcp = this.#tcp;
    descriptors.set(this.#slot, 0);
    if (!tcp) return true;
    tcp.write(bytes);
    releaseHandshake(tcp);
    // The kernel takes what it can within the call; what it did not take waits in this process.
    return tcp.writableLength === 0;
  }
}

function onData(this: OwnedSocket, chunk: Buffer): void {
  this[owned]?.data(chunk);
}

function onEnd(this: OwnedSocket): void {
  this[owned]?.ended();
}

/** In place of the one of Node's sockets: the only thing that is called at once, whoever destroys a socket. */
function destroyOwned(this: OwnedSocket, error: Error | null, done: (error?: Error | null) => void): void {
  this[owned]?.destroyed();
  Socket.prototype._destroy.call(this, error, done);
}

function onError(this: OwnedSocket): void {
  this.destroy();
}

function onClose(this: OwnedSocket): void {
  this[owned]?.gone();
}
