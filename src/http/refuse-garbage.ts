import type { Duplex } from 'node:stream';
import { PollError } from '../poll/poll-error.ts';

/** For the answer to arrive: a socket that is closed over bytes that nobody read is reset, and the answer lost. */
const LINGER_MS = 1_000;

/** Answers what is no HTTP, or no handshake, and so never reaches a route. The answer is HTTP all the same, and the connection ends. */
export function refuseGarbage(_: Error, socket: Duplex): void {
  if (!socket.writable) return;
  const body = JSON.stringify(new PollError('invalid_request').toBody());
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // The other side may never hang up, and nobody listens here for it.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
