import { Socket } from 'node:net';
import { type Traffic, traffic } from '../metrics/catalogue.ts';
import { BadMessage, type CloseEvent, MessageTooBig, TooMany } from '../protocol/close-event.ts';
import { type BatchWriter, Connection, NO_SLOT } from './connection.ts';
import { descriptorOf, writeDirectly } from './direct-write.ts';
import type { Frame } from './frame.ts';
import { type FrameListener, FrameReader } from './frame-reader.ts';
import { OPCODE_PING, OPCODE_PONG, websocketClose, websocketControl } from './websocket-bytes.ts';

const PING = websocketControl(OPCODE_PING, new Uint8Array());
const NOTHING = Buffer.alloc(0);
const NO_CODE = 1005;
const NORMAL_CLOSURE = 1000;
/** How long the client may take to answer a close. */
const CLOSE_TIMEOUT_MS = 2_000;
/** Reason of every close for a violation of RFC 6455. */
const PROTOCOL_ERROR_REASON = 'protocol error';

/** Of pings that came together the newest is answered (RFC 6455, section 5.5.3). Bytes are read within one call, so one serves all. */
let newestPing: Buffer | undefined;

/** Listeners find their connection by it, so that they are the same functions for all sockets. */
const connection = Symbol('connection');
type ConnectedSocket = Socket & { [connection]?: WebsocketConnection };

/**
 * Descriptors by slot, close together in memory. 0 until the first frame, while bytes wait in the stream, and from the end of the
 * socket on. A slot is reused only once its connection has left every rate group.
 */
let descriptors = new Int32Array(1_024);
const freeSlots: number[] = [];
let newestSlot = NO_SLOT;

function openSlot(): number {
  const slot = freeSlots.pop() ?? ++newestSlot;
  if (slot === descriptors.length) {
    const larger = new Int32Array(2 * slot);
    larger.set(descriptors);
    descriptors = larger;
  }
  return slot;
}

/** @returns a writer that looks at nothing but the descriptors, because thousands of connections lie in no cache */
function batchWriterOf({ frames, bytes: sent }: Traffic): BatchWriter {
  return (frame, slots, start, end, onShort) => {
    const { websocket: bytes, isPublic } = frame;
    let whole = 0;
    for (let index = start; index < end; index += 1) {
      const taken = writeDirectly(descriptors[slots[index] as number] as number, bytes);
      if (taken === bytes.length) whole += 1;
      else onShort(index, taken);
    }
    frames.value += whole;
    if (isPublic) sent.value += whole * bytes.length;
  };
}

const batchWriters = new Map(Object.values(traffic).map(counts => [counts, batchWriterOf(counts)]));

/** In place of the class of `ws`: keeps the TCP socket of a finished handshake, and nothing else. */
export class UpgradedSocket {
  tcp: Socket | undefined;
  head: Buffer = NOTHING;

  setSocket(tcp: Socket, head: Buffer): void {
    this.tcp = tcp;
    this.head = head;
  }

  /** The plugin's listener for errors would keep the whole request alive. */
  on(): this {
    return this;
  }

  terminate(): void {
    this.tcp?.destroy();
  }
}

/**
 * A WebSocket after its handshake, read and written without the streams, senders and listeners that `ws` keeps for each socket.
 * Frames are encoded already, the same bytes for every socket. README.md beside this file has the measurements.
 */
export class WebsocketConnection extends Connection implements FrameListener {
  readonly #tcp: ConnectedSocket;
  readonly #slot: number;
  #reader: FrameReader | undefined = new FrameReader();
  /** Most clients never send a message. */
  #budget: MessageBudget | undefined;
  #hasSentClose = false;

  constructor(tcp: ConnectedSocket, head: Buffer, counts = traffic.websocket) {
    super(counts);
    this.#tcp = tcp;
    this.#slot = openSlot();
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
    return batchWriters.get(this.traffic);
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
    this.#writeBytes(PING);
  }

  protected override sendClose(event: CloseEvent): void {
    // A flood is not read to its end.
    if (event === TooMany) this.#expel(event);
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
    if (!this.#hasSentClose && this.#spendMessage()) newestPing = payload;
  }

  onPong(): void {
    if (!this.#hasSentClose) this.#spendMessage();
  }

  onCloseFrame(code: number): void {
    this.#finish({ code: code === NO_CODE ? NORMAL_CLOSURE : code, reason: '' });
    this.#tcp.end();
  }

  onViolation(code: number): void {
    this.#expel(code === MessageTooBig.code ? MessageTooBig : { code, reason: PROTOCOL_ERROR_REASON });
  }

  read(chunk: Buffer): void {
    newestPing = undefined;
    this.#reader?.read(chunk, this);
    // A client that pings without reading gets no pongs.
    if (newestPing && this.#tcp.writableLength === 0)
      this.#writeBytes(websocketControl(OPCODE_PONG, newestPing));
  }

  ended(): void {
    this.forgetDescriptor();
    this.#tcp.end();
  }

  /** Another socket may get the same number. */
  forgetDescriptor(): void {
    descriptors[this.#slot] = 0;
  }

  override onClosed(): void {
    super.onClosed();
    freeSlots.push(this.#slot);
  }

  #spendMessage(): boolean {
    const nowMs = performance.now();
    this.markAlive(nowMs);
    this.#budget ??= new MessageBudget(nowMs);
    const isWithin = this.#budget.spend(nowMs);
    if (!isWithin) this.refuse(TooMany);
    return isWithin;
  }

  /** Sends the close and reads nothing more. */
  #expel(event: CloseEvent): void {
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
    let descriptor = descriptors[this.#slot] as number;
    if (descriptor === 0) {
      if (!tcp.writable || this.#hasSentClose) return true;
      // Bytes that wait in the stream go first.
      if (tcp.writableLength === 0) descriptor = descriptorOf(tcp);
      descriptors[this.#slot] = descriptor;
    }
    const taken = writeDirectly(descriptor, bytes);
    return taken === bytes.length || this.#writeToStream(bytes.subarray(taken));
  }

  #writeToStream(bytes: Buffer): boolean {
    const tcp = this.#tcp;
    this.forgetDescriptor();
    tcp.write(bytes);
    uncork(tcp);
    // The kernel takes what it can within the call; the rest waits in this process.
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

/** The descriptor has to be forgotten before it is closed, and no event comes that early. */
function destroyConnected(
  this: ConnectedSocket,
  error: Error | null,
  done: (error?: Error | null) => void,
): void {
  this[connection]?.forgetDescriptor();
  Socket.prototype._destroy.call(this, error, done);
}

/** A hundred polls may be subscribed to at once, and all of them again; after that, a message every 100 ms. */
const BURST = 200;
const REFILL_MS = 100;

/** How many messages a client may still send: a token bucket without a timer. */
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

/** Longer than a pending subscription waits for its first frame, unless the engine is slow or away. */
const CORK_MS = 100;

/** Sockets corked within this interval, and within the one before. */
let corked: Socket[] = [];
let due: Socket[] = [];

/**
 * Keeps back the reply to an upgrade until the first frame is written, at most two intervals, so that both leave in one write and
 * one packet: a second one would cost as much as the first.
 */
export function corkHandshake(socket: Socket): void {
  socket.cork();
  if (corked.push(socket) === 1 && due.length === 0) scheduleUncork();
}

/** One timer serves all handshakes of an interval. */
function scheduleUncork(): void {
  setTimeout(() => {
    due.forEach(uncork);
    due = corked;
    corked = [];
    if (due.length > 0) scheduleUncork();
  }, CORK_MS).unref();
}

function uncork(socket: Socket): void {
  if (socket.writableCorked > 0) socket.uncork();
}
