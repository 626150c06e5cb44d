import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from './until.ts';

/** A TCP connection that sends any bytes, and reads only on demand. */
export class RawSocket {
  readonly socket: Socket;
  received: Buffer = Buffer.alloc(0);
  closed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', chunk => {
      this.received = Buffer.concat([this.received, chunk]);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
    });
  }

  /** @param url like `http://127.0.0.1:1234` */
  static async open(url: string): Promise<RawSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const raw = new RawSocket(socket);
    await once(socket, 'connect');
    return raw;
  }

  /** Opens and shakes hands; whatever follows the handshake is in `received`. */
  static async upgrade(url: string, path: string, headers: readonly string[] = []): Promise<RawSocket> {
    const raw = await RawSocket.open(url);
    raw.send(upgradeRequest(path, headers));
    await until(() => raw.text.includes('\r\n\r\n'), 'the handshake');
    raw.received = raw.received.subarray(raw.received.indexOf('\r\n\r\n') + 4);
    return raw;
  }

  get text(): string {
    return this.received.toString('latin1');
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** The peer stops reading: what is sent to it fills its kernel's buffer, and then waits in the sender. */
  stopReading(): void {
    this.socket.pause();
  }

  resumeReading(): void {
    this.socket.resume();
  }

  /** What arrived as whole WebSocket frames. */
  frames(): { opcode: number; payload: Buffer }[] {
    return readFrames(this.received);
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  close(): void {
    this.socket.destroy();
  }
}

export function upgradeRequest(path: string, headers: readonly string[] = []): string {
  return [
    `GET ${path} HTTP/1.1`,
    'Host: relay.test',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...headers,
    '\r\n',
  ].join('\r\n');
}

/** A frame as a client sends it, masked. @param first FIN, reserved bits and opcode */
export function clientFrame(payload: string | Uint8Array, first = 0x81): Buffer {
  const body = Buffer.from(payload as string);
  const mask = randomBytes(4);
  const masked = body.map((byte, index) => byte ^ (mask[index & 3] as number));
  const length =
    body.length < 126
      ? Buffer.from([0x80 | body.length])
      : Buffer.from([0x80 | 126, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([first]), length, mask, masked]);
}

function readFrames(bytes: Buffer): { opcode: number; payload: Buffer }[] {
  const frames = [];
  for (let rest = bytes; rest.length >= 2; ) {
    const short = (rest[1] as number) & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (rest.length < head) break;
    const length =
      short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2));
    if (rest.length < head + length) break;
    frames.push({ opcode: (rest[0] as number) & 0x0f, payload: rest.subarray(head, head + length) });
    rest = rest.subarray(head + length);
  }
  return frames;
}
