import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { refusals } from '../metrics/catalogue.ts';
import { type ErrorCode, PollError } from '../poll/poll-error.ts';
import { logFault } from './fault-log.ts';
import { ServerDraining } from './readiness.ts';

/** The one place where errors become replies. */

const CODES_OF_FASTIFY: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'invalid_request',
};

export function replyWithError(
  thrown: FastifyError | PollError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = toPollError(thrown);
  refusals.of({ surface: 'rest', code: error.code }).value += 1;
  if (error.status >= 500 && !(thrown instanceof ServerDraining))
    logFault(request, reply, error.code, thrown);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  if (error.status === 401) reply.header('www-authenticate', 'Bearer realm="poll results"');
  // Hijacked or half-sent: nothing more can be said.
  if (reply.raw.headersSent) return;
  reply.code(error.status).header('cache-control', 'no-store').send(error.toBody());
}

export function toPollError(thrown: Error): PollError {
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
