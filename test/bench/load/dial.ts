/** How to reach a server that sends results to many. */
export interface Dial {
  readonly port: number;
  readonly path: string;
}

/** Every socket may use the same: the server only echoes a hash of it. */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

export function upgradeRequest({ port, path }: Dial): string {
  return (
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n`
  );
}

/** Masked with zeros, as the protocol allows: the payload stays as it is. */
export function clientFrame(payload: Buffer, opcode: number): Buffer {
  const short = payload.length < 126;
  const head = Buffer.alloc(short ? 6 : 8);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (short ? payload.length : 126);
  if (!short) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}
