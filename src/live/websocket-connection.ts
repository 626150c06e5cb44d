import { isUtf8 } from 'node:buffer';
import { Socket } from 'node:net';
import { type Traffic, traffic } from '../metrics/catalogue.ts';
import { BadMessage, type CloseEvent, MessageTooBig, TooMany } from '../protocol/close-event.ts';
import { type BatchWriter, Connection } from './connection.ts';
import type { DirectWriter } from './direct-writer.ts';
import type { Frame } from './frame.ts';

const CONTINUATION = 0x0;
const BINARY = 0x2;
const CLOSE = 0x8;
export const PING = 0x9;
const PONG = 0xa;

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

/** Encodes a control frame. @param payload at most 125 bytes */
export function websocketControl(opcode: number, payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, payload.length]), payload]);
}

export function websocketClose(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return websocketControl(CLOSE, payload);
}

export interface FrameListener {
  onText(text: string): void;
  onPing(payload: Buffer): void;
  onPong(): void;
  /** @param code 1005 if the frame has none */
  onCloseFrame(code: number): void;
  /** The client violated RFC 6455 or a limit. Read no more. @param code to close with */
  onViolation(code: number): void;
}

const MAX_MESSAGE_BYTES = 4_096;
const MAX_FRAGMENTS = 16;
const MAX_CONTROL_BYTES = 125;

const PROTOCOL_ERROR = 1002;
const UNSUPPORTED_DATA = 1003;
const INVALID_TEXT = 1007;
const TOO_BIG = 1009;

interface Header {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly length: number;
  readonly size: number;
}

/** Decodes frames of a client (RFC 6455, section 5). An idle reader takes 60 bytes; a receiver of `ws` takes 2 KB. */
export class FrameReader {
  #rest: Buffer | undefined;
  #fragments: Buffer[] | undefined;

  read(chunk: Buffer, listener: FrameListener): void {
    let bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = undefined;
    while (bytes.length >= 2) {
      const header = parseHeader(bytes);
      if (header === undefined) break;
      if (typeof header === 'number') {
        listener.onViolation(header);
        return;
      }
      const end = header.size + header.length;
      if (bytes.length < end) break;
      const payload = unmask(bytes, header);
      bytes = bytes.subarray(end);
      const isControl = header.opcode >= CLOSE;
      const verdict = isControl
        ? control(header.opcode, payload, listener)
        : this.#data(header, payload, listener);
      if (verdict === undefined) continue;
      if (verdict !== 'closed') listener.onViolation(verdict);
      return;
    }
    // Copied, because the chunk is a view of a 64 KB buffer.
    if (bytes.length > 0) this.#rest = Buffer.from(bytes);
  }

  #data({ isFinal, opcode }: Header, payload: Buffer, listener: FrameListener): number | undefined {
    const isContinuation = opcode === CONTINUATION;
    if (isContinuation !== (this.#fragments !== undefined)) return PROTOCOL_ERROR;
    if (opcode === BINARY) return UNSUPPORTED_DATA;
    if (isFinal && !isContinuation) return deliver(payload, listener);
    this.#fragments ??= [];
    this.#fragments.push(payload);
    const size = this.#fragments.reduce((sum, fragment) => sum + fragment.length, 0);
    if (size > MAX_MESSAGE_BYTES || this.#fragments.length > MAX_FRAGMENTS) return TOO_BIG;
    if (!isFinal) return undefined;
    const message = Buffer.concat(this.#fragments);
    this.#fragments = undefined;
    return deliver(message, listener);
  }
}

/** @returns undefined if more bytes are needed, or a close code for a violation */
function parseHeader(bytes: Buffer): Header | number | undefined {
  const first = bytes[0] as number;
  const second = bytes[1] as number;
  const opcode = first & 0x0f;
  const isFinal = (first & 0x80) !== 0;
  const isControl = opcode >= CLOSE;
  const short = second & 0x7f;
  const isMasked = (second & 0x80) !== 0;
  if ((first & 0x70) !== 0 || !isMasked || opcode > PONG || (opcode > BINARY && !isControl))
    return PROTOCOL_ERROR;
  if (isControl && (!isFinal || short > MAX_CONTROL_BYTES)) return PROTOCOL_ERROR;
  if (short === 127) return TOO_BIG;
  if (short < 126) return bytes.length < 6 ? undefined : { isFinal, opcode, length: short, size: 6 };
  if (bytes.length < 8) return undefined;
  const length = bytes.readUInt16BE(2);
  return length > MAX_MESSAGE_BYTES ? TOO_BIG : { isFinal, opcode, length, size: 8 };
}

function unmask(bytes: Buffer, { size, length }: Header): Buffer {
  const payload = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1)
    payload[index] = (bytes[size + index] as number) ^ (bytes[size - 4 + (index & 3)] as number);
  return payload;
}

function deliver(payload: Buffer, listener: FrameListener): number | undefined {
  if (!isUtf8(payload)) return INVALID_TEXT;
  listener.onText(payload.toString());
  return undefined;
}

function control(opcode: number, payload: Buffer, listener: FrameListener): number | 'closed' | undefined {
  if (opcode === PING) listener.onPing(payload);
  else if (opcode === PONG) listener.onPong();
  else {
    if (payload.length === 1) return PROTOCOL_ERROR;
    const code = payload.length === 0 ? 1005 : payload.readUInt16BE(0);
    if (payload.length > 0 && !isValidCode(code)) return PROTOCOL_ERROR;
    if (!isUtf8(payload.subarray(2))) return INVALID_TEXT;
    listener.onCloseFrame(code);
    return 'closed';
  }
  return undefined;
}

function isValidCode(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  );
}
