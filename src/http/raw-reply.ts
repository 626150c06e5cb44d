import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { PollError } from '../poll/poll-error.ts';

/** Replies to what never reaches a route, in bytes that are made once. They are HTTP all the same, and end the connection. */

/** For the answer to arrive: a socket that is closed over bytes that nobody read is reset, and the answer lost. */
const LINGER_MS = 1_000;

const GARBAGE = rawReply(new PollError('invalid_request'));

/** The whole reply to a request that is refused, with the body that every error has. */
export function rawReply(error: PollError): Buffer {
  const body = JSON.stringify(error.toBody());
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    ...(error.retryAfterSeconds === undefined ? [] : [`Retry-After: ${error.retryAfterSeconds}`]),
    'Connection: close',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** The last that is said on a connection. */
export function endWith(socket: Duplex, reply: Buffer): void {
  if (!socket.writable) return;
  socket.on('error', ignore);
  socket.end(reply);
  // The other side may never hang up, and nobody listens here for it.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Answers what is no HTTP, or no handshake. */
export function refuseGarbage(_: unknown, socket: Duplex): void {
  endWith(socket, GARBAGE);
}

/** It is over either way. */
function ignore(): void {}
