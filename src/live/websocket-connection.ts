import { Socket } from 'node:net';
import { type Traffic, traffic } from '../metrics/catalogue.ts';
import { BadMessage, type CloseEvent, MessageTooBig, TooMany } from '../protocol/close-event.ts';
import { type BatchWriter, Connection, NO_SLOT } from './connection.ts';
import { descriptorOf, writeDirectly } from './direct-write.ts';
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

/** Only the newest of several pings is answered (RFC 6455, section 5.5.3). A module variable suffices, as a chunk is read in one call. */
let newestPing: Buffer | undefined;

/** Leads from a socket to its connection, so that all sockets share the same listeners. */
const connection = Symbol('connection');
type ConnectedSocket = Socket & { [connection]?: WebsocketConnection };

/**
 * Descriptors by slot. 0 before the first frame, while bytes wait in the stream, and once the socket has closed. A slot is reused
 * only after its connection has left every rate group.
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

/** Returns a writer that reads only descriptors: thousands of connections do not fit into CPU caches. */
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

/** Replaces the class of `ws`; only keeps the TCP socket of a finished handshake. */
export class UpgradedSocket {
  tcp: Socket | undefined;
  head: Buffer = NOTHING;

  setSocket(tcp: Socket, head: Buffer): void {
    this.tcp = tcp;
    this.head = head;
  }

  /** Does nothing: the plugin's error listener would keep the whole request in memory. */
  on(): this {
    return this;
  }

  terminate(): void {
    this.tcp?.destroy();
  }
}

/** A WebSocket after its handshake, without the receiver, sender and listeners that `ws` keeps for each socket. */
export class WebsocketConnection extends Connection implements FrameListener {
  readonly #tcp: ConnectedSocket;
  readonly #slot: number;
  #reader: FrameReader | undefined = new FrameReader();
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
    this.#stopReading(code === MessageTooBig.code ? MessageTooBig : { code, reason: PROTOCOL_ERROR_REASON });
  }

  read(chunk: Buffer): void {
    newestPing = undefined;
    this.#reader?.read(chunk, this);
    // A client that does not read gets no pongs.
    if (newestPing && this.#tcp.writableLength === 0) this.#writeBytes(websocketControl(PONG, newestPing));
  }

  ended(): void {
    this.forgetDescriptor();
    this.#tcp.end();
  }

  /** Another socket may get the same descriptor. */
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
    let descriptor = descriptors[this.#slot] as number;
    if (descriptor === 0) {
      if (!tcp.writable || this.#hasSentClose) return true;
      // Bytes that wait in the stream must be sent first.
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

/** Longer than a subscription waits for its first frame, unless the engine is slow or unavailable. */
const CORK_MS = 100;

/** Sockets corked in this interval and in the one before. */
let corked: Socket[] = [];
let due: Socket[] = [];

/**
 * Delays the reply to an upgrade until the first frame, two intervals at most, so that both leave in one packet.
 * Without it, an accepted subscriber takes 10 % more CPU.
 */
export function corkHandshake(socket: Socket): void {
  socket.cork();
  if (corked.push(socket) === 1 && due.length === 0) scheduleUncork();
}

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
