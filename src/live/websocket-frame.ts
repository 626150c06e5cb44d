import { isUtf8 } from 'node:buffer';
/** Encodes one unmasked, unfragmented text frame (RFC 6455, section 5.2). */
export function websocketText(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafeSlow(head + length);
  frame[0] = 0x81;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}

const CONTINUATION = 0x0;
const BINARY = 0x2;
const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

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

export const MAX_MESSAGE_BYTES = 4_096;
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
      const header = readHeader(bytes);
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
function readHeader(bytes: Buffer): Header | number | undefined {
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
