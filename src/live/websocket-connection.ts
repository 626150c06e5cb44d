import { Socket } from 'node:net';
import { type Traffic, traffic } from '../metrics/catalogue.ts';
import { BadMessage, type CloseEvent, MessageTooBig, TooMany } from '../protocol/close-event.ts';
import { type BatchWriter, Connection } from './connection.ts';
import type { DirectWriter } from './direct-writer.ts';
import type { Frame } from './frame.ts';
import {
  type FrameListener,
  FrameReader,
  PING,
  PONG,
  websocketClose,
  websocketControl,
} from './websocket-frame.ts';

const PING_FRAME = websocketControl(PING, new Uint8Array());
const NOTHING = Buffer.alloc(0);
const NO_CODE = 1005;
const NORMAL_CLOSURE = 1000;
/** A client that has not answered a close by then is terminated. */
const CLOSE_TIMEOUT_MS = 2_000;
const PROTOCOL_ERROR_REASON = 'protocol error';

/** Leads from a socket to its connection, so that all sockets share the same listeners. */
const connection = Symbol('connection');
type ConnectedSocket = Socket & { [connection]?: WebsocketConnection };

/** A WebSocket after its handshake, without the receiver, sender and listeners that `ws` keeps for each socket. */
export class WebsocketConnection extends Connection implements FrameListener {
  readonly #tcp: ConnectedSocket;
  readonly #writer: DirectWriter;
  readonly #slot: number;
  #reader: FrameReader | undefined = new FrameReader();
  #budget: MessageBudget | undefined;
  /** Only the newest of several pings is answered (RFC 6455, section 5.5.3). */
  #newestPing: Buffer | undefined;
  #hasSentClose = false;

  constructor(tcp: ConnectedSocket, head: Buffer, writer: DirectWriter, counts: Traffic = traffic.websocket) {
    super(counts);
    this.#tcp = tcp;
    this.#writer = writer;
    this.#slot = writer.openSlot();
    tcp[connection] = this;
    tcp.setTimeout(0);
    tcp.setNoDelay();
    if (head.length > 0) tcp.unshift(head);
    tcp.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    tcp._destroy = destroyConnected;
  }

  override get slot(): number {
    return this.#slot;
  }

  override get batchWriter(): BatchWriter | undefined {
    return this.#writer.batchWriter(this.traffic);
  }

  override terminate(): void {
    this.#tcp.destroy();
  }

  protected override write(frame: Frame, taken: number): boolean {
    if (taken > 0) return this.#writeToStream(frame.websocket.subarray(taken));
    return this.#writeBytes(frame.websocket);
  }

  protected override onceDrained(callback: () => void): void {
    this.#tcp.write(NOTHING, callback);
  }

  protected override ping(): void {
    this.#writeBytes(PING_FRAME);
  }

  protected override sendClose(event: CloseEvent): void {
    if (event === TooMany) this.#stopReading(event);
    else this.#finish(event);
  }

  onText(text: string): void {
    if (this.#hasSentClose || !this.#spendMessage()) return;
    this.attempt(() => {
      if (this.session) this.session.message(text);
      else this.refuse(BadMessage);
    });
  }

  onPing(payload: Buffer): void {
    if (!this.#hasSentClose && this.#spendMessage()) this.#newestPing = payload;
  }

  onPong(): void {
    if (!this.#hasSentClose) this.#spendMessage();
  }

  onCloseFrame(code: number): void {
    this.#finish({ code: code === NO_CODE ? NORMAL_CLOSURE : code, reason: '' });
    this.#tcp.end();
  }

  onViolation(code: number): void {
    this.#stopReading(code === MessageTooBig.code ? MessageTooBig : { code, reason: PROTOCOL_ERROR_REASON });
  }

  read(chunk: Buffer): void {
    this.#reader?.read(chunk, this);
    const ping = this.#newestPing;
    this.#newestPing = undefined;
    // A client that does not read gets no pongs.
    if (ping && this.#tcp.writableLength === 0) this.#writeBytes(websocketControl(PONG, ping));
  }

  ended(): void {
    this.forgetDescriptor();
    this.#tcp.end();
  }

  /** Another socket may get the same descriptor. */
  forgetDescriptor(): void {
    this.#writer.detach(this.#slot);
  }

  override onClosed(): void {
    super.onClosed();
    this.#writer.closeSlot(this.#slot);
  }

  #spendMessage(): boolean {
    const nowMs = performance.now();
    this.markAlive(nowMs);
    this.#budget ??= new MessageBudget(nowMs);
    const isWithin = this.#budget.spend(nowMs);
    if (!isWithin) this.refuse(TooMany);
    return isWithin;
  }

  /** Closes without reading the rest, which may be a flood. */
  #stopReading(event: CloseEvent): void {
    this.#reader = undefined;
    this.#finish(event);
    this.#tcp.end();
    this.#tcp.pause();
  }

  #finish({ code, reason }: CloseEvent): void {
    if (this.#hasSentClose) return;
    this.#hasSentClose = true;
    this.forgetDescriptor();
    this.#tcp.write(websocketClose(code, reason));
    setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  #writeBytes(bytes: Buffer): boolean {
    const tcp = this.#tcp;
    const writer = this.#writer;
    if (!writer.isAttached(this.#slot)) {
      if (!tcp.writable || this.#hasSentClose) return true;
      // Bytes that wait in the stream must be sent first.
      if (tcp.writableLength === 0) writer.attach(this.#slot, tcp);
    }
    const taken = writer.write(this.#slot, bytes);
    return taken === bytes.length || this.#writeToStream(bytes.subarray(taken));
  }

  #writeToStream(bytes: Buffer): boolean {
    const tcp = this.#tcp;
    this.forgetDescriptor();
    tcp.write(bytes);
    tcp.uncork();
    return tcp.writableLength === 0;
  }
}

function onData(this: ConnectedSocket, chunk: Buffer): void {
  this[connection]?.read(chunk);
}

function onEnd(this: ConnectedSocket): void {
  this[connection]?.ended();
}

function onError(this: ConnectedSocket): void {
  this.destroy();
}

function onClose(this: ConnectedSocket): void {
  this[connection]?.onClosed();
}

/** Forgets the descriptor before it is closed; every event would be too late. */
function destroyConnected(
  this: ConnectedSocket,
  error: Error | null,
  done: (error?: Error | null) => void,
): void {
  this[connection]?.forgetDescriptor();
  Socket.prototype._destroy.call(this, error, done);
}

/** Enough to subscribe to a hundred polls twice. */
const BURST = 200;
const REFILL_MS = 100;

/** Limits messages of a client: a token bucket without a timer. */
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
