import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { refusals } from '../metrics/catalogue.ts';
import { type ErrorCode, PollError } from '../poll/poll-error.ts';
import { ServerDraining } from './readiness.ts';
import { logFault } from './request-log.ts';

const CODES_OF_FASTIFY: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'invalid_request',
};

/** Replies to an error of any REST route, as Fastify's error handler. */
export function replyWithError(
  thrown: FastifyError | PollError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = toPollError(thrown);
  refusals.of({ surface: 'rest', code: error.code }).value += 1;
  if (error.status >= 500 && !(thrown instanceof ServerDraining)) logFault(request, error.code, thrown);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  if (error.etag !== undefined) reply.header('etag', error.etag);
  if (error.status === 401) reply.header('www-authenticate', 'Bearer realm="poll results"');
  if (reply.raw.headersSent) return;
  // No hook has run for a malformed URL.
  reply.headers({ 'cache-control': 'no-store', 'x-request-id': request.id });
  reply.code(error.status).send(error.toBody(request.id));
}

function toPollError(thrown: Error): PollError {
  if (thrown instanceof PollError) return thrown;
  if (thrown instanceof ServerDraining)
    return new PollError('engine_unavailable', { message: thrown.message });
  const { code = '', statusCode = 500 } = thrown as FastifyError;
  const known = CODES_OF_FASTIFY[code];
  if (known) return new PollError(known);
  if (statusCode === 429) return new PollError('rate_limited');
  if (statusCode === 503) return new PollError('engine_unavailable', { cause: thrown });
  return statusCode < 500
    ? new PollError('invalid_request')
    : new PollError('internal_error', { cause: thrown });
}

/** What the parser takes of a URL and headers: `maxHeaderSize`. */
export const PARSED_BYTES = 8_192;

/** Time for a raw reply to arrive: closing a socket with unread bytes resets the connection and loses the reply. */
const LINGER_MS = 1_000;

/** Encodes a whole HTTP reply, for requests that never reach a route. */
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

export function endWith(socket: Duplex, reply: Buffer): void {
  if (!socket.writable) return;
  socket.on('error', () => {});
  socket.end(reply);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const INVALID_REQUEST = rawReply(new PollError('invalid_request'));
const URL_TOO_LONG = rawReply(new PollError('url_too_long'));
const HEADERS_TOO_LARGE = rawReply(new PollError('headers_too_large'));
/** A method, and a URL that does not end. */
const ENDLESS_URL = /^[A-Z-]+ [^\s]*$/;

/** Replies to bytes that are neither HTTP nor a handshake, and to a URL or headers beyond the limit of the parser. */
export function rejectMalformed(error: unknown, socket: Duplex): void {
  const { code, rawPacket } = Object(error) as { code?: string; rawPacket?: Buffer };
  // Only the last packet of a request is known.
  const start = rawPacket?.toString('latin1', 0, PARSED_BYTES) ?? '';
  const tooLarge = ENDLESS_URL.test(start) ? URL_TOO_LONG : HEADERS_TOO_LARGE;
  endWith(socket, code === 'HPE_HEADER_OVERFLOW' ? tooLarge : INVALID_REQUEST);
}
