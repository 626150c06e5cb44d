import { connect, type Socket } from 'node:net';
import { monotonicMs } from '../system/clock.ts';
import { clientFrame, type Dial, upgradeRequest } from './dial.ts';

/** Callbacks for what happens on a socket. */
export interface SocketOwner {
  opened(socket: LiveSocket): void;
  /** Before `socket.version` changes. */
  updated(socket: LiveSocket, version: number, nowMs: number): void;
  closed(socket: LiveSocket): void;
}

/** Every read of every socket lands here and is looked at before the next: no allocation for each. */
const shared = Buffer.allocUnsafeSlow(65_536);
const VERSION = Buffer.from('"version":');
const END_OF_HEAD = '\r\n\r\n';
const PING = 9;
const PONG = 10;

/**
 * Where the version stood in the last frame. Frames of one update are alike, so it is searched for
 * once in thousands.
 */
let versionAt = 0;

/** One subscriber, as cheap as it can be: a bare TCP socket that counts frames and notes their version. */
export class LiveSocket {
  /** -1 until the first update has come. */
  version = -1;
  versionAtMs = 0;
  isOpen = false;
  readonly #owner: SocketOwner;
  readonly #tcp: Socket;
  /** What has come of a frame, or of the reply to the upgrade, that is not complete. */
  #rest: Buffer | undefined;

  constructor(dial: Dial, localAddress: string, owner: SocketOwner) {
    this.#owner = owner;
    this.#tcp = connect({
      port: dial.port,
      host: '127.0.0.1',
      localAddress,
      onread: {
        buffer: shared,
        callback: length => {
          this.#read(length);
          return true;
        },
      },
    });
    this.#tcp.setNoDelay(true);
    this.#tcp.write(upgradeRequest(dial), 'latin1');
    this.#tcp.on('error', () => {});
    this.#tcp.once('close', () => owner.closed(this));
  }

  /** A reset leaves no port in TIME_WAIT. */
  close(): void {
    this.#tcp.resetAndDestroy();
  }

  #read(length: number): void {
    let bytes = shared;
    let end = length;
    if (this.#rest) {
      bytes = Buffer.concat([this.#rest, shared.subarray(0, length)]);
      end = bytes.length;
      this.#rest = undefined;
    }
    const start = this.isOpen ? 0 : this.#upgrade(bytes, end);
    const taken = start < 0 ? 0 : this.#frames(bytes, start, end);
    if (taken < end) this.#rest = Buffer.from(bytes.subarray(taken, end));
  }

  /** @returns where the frames begin, or -1 while the reply is not complete */
  #upgrade(bytes: Buffer, end: number): number {
    const at = bytes.subarray(0, end).indexOf(END_OF_HEAD, 0, 'latin1');
    if (at < 0) return -1;
    if (bytes.toString('latin1', 9, 12) !== '101') {
      this.close();
      return end;
    }
    this.isOpen = true;
    this.#owner.opened(this);
    return at + END_OF_HEAD.length;
  }

  /** @returns how far the bytes were complete frames */
  #frames(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (end - at >= 2) {
      let head = 2;
      let length = bytes[at + 1]! & 0x7f;
      if (length === 126) {
        head = 4;
        if (end - at < head) break;
        length = bytes.readUInt16BE(at + 2);
      } else if (length === 127) {
        head = 10;
        if (end - at < head) break;
        length = Number(bytes.readBigUInt64BE(at + 2));
      }
      if (end - at < head + length) break;
      this.#frame(bytes, bytes[at]! & 0x0f, at + head, at + head + length);
      at += head + length;
    }
    return at;
  }

  #frame(bytes: Buffer, opcode: number, start: number, end: number): void {
    if (opcode === PING) this.#tcp.write(clientFrame(Buffer.from(bytes.subarray(start, end)), PONG));
    if (opcode > 2) return;
    const version = findVersion(bytes, start, end);
    if (version < 0) return;
    const nowMs = monotonicMs();
    this.#owner.updated(this, version, nowMs);
    this.version = version;
    this.versionAtMs = nowMs;
  }
}

/** @returns -1 without a number: servers send their own greeting */
function findVersion(bytes: Buffer, start: number, end: number): number {
  const usual = start + versionAt;
  if (usual + VERSION.length <= end && VERSION.compare(bytes, usual, usual + VERSION.length) === 0)
    return readNumber(bytes, usual + VERSION.length, end);
  for (let at = start; ; at += VERSION.length) {
    const found = bytes.subarray(at, end).indexOf(VERSION);
    if (found < 0) return -1;
    at += found;
    const version = readNumber(bytes, at + VERSION.length, end);
    if (version < 0) continue;
    versionAt = at - start;
    return version;
  }
}

function readNumber(bytes: Buffer, start: number, end: number): number {
  let number = -1;
  for (let index = start; index < end; index += 1) {
    const digit = bytes[index]! - 0x30;
    if (digit < 0 || digit > 9) break;
    number = Math.max(number, 0) * 10 + digit;
  }
  return number;
}
