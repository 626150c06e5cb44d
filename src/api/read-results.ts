import type { FastifyInstance, FastifyReply } from 'fastify';
import { resultsText } from '../frame/results-text.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { isPollId } from '../poll/create-poll.ts';
import { areResultsPublic, type Reading } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { judgeAccess } from '../poll/poll-key.ts';
import type { ApiOptions } from './api-options.ts';
import {
  formatResults,
  isResultsFormat,
  RESULTS_FORMATS,
  type ResultsFormat,
} from './format/format-results.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** `GET /api/poll/<id>`: contract, section 3. */
export function readResults(app: FastifyInstance, { readPoll, isOperatorKey }: ApiOptions): void {
  app.get<{ Params: { id: string } }>('/api/poll/:id', async (request, reply) => {
    const format = formatOf(request.query);
    if (!isPollId(request.params.id)) throw new PollError('poll_not_found');
    const reading = await readPoll(request.params.id);
    if (!reading) throw new PollError('poll_not_found');
    if (areResultsPublic(reading.results))
      return sendPublic(reply, request.headers['if-none-match'], reading, format);

    const access = judgeAccess(keyOfRequest(request), reading.keys, isOperatorKey);
    if (access === 'absent') throw new PollError('api_key_required');
    if (access === 'rejected') throw new PollError('api_key_rejected');
    reply.header('cache-control', 'private, no-store');
    return send(reply, reading, format);
  });
}

function sendPublic(
  reply: FastifyReply,
  known: string | undefined,
  reading: Reading,
  format?: ResultsFormat,
): FastifyReply {
  const { epoch, version } = reading.results;
  const etag = `W/"${epoch}-${version}${format === undefined ? '' : `-${format}`}"`;
  reply.header('etag', etag).header('cache-control', 'no-cache');
  if (known !== undefined && isKnown(etag, known)) return reply.code(304).send();
  return send(reply, reading, format);
}

/** Weak comparison (RFC 9110, section 13.1.2): a proxy may have made the tag strong, or weak. */
function isKnown(etag: string, known: string): boolean {
  return known.split(',').some(tag => ['*', etag, etag.slice(2)].includes(tag.trim()));
}

function send(reply: FastifyReply, reading: Reading, format?: ResultsFormat): FastifyReply {
  if (format !== undefined) {
    const { contentType, body } = formatResults(reading, format);
    return reply.header('content-type', contentType).send(body);
  }
  return reply.header('content-type', JSON_TYPE).send(resultsText(reading));
}

function formatOf(query: unknown): ResultsFormat | undefined {
  const { format } = query as { format?: unknown };
  if (format === undefined || isResultsFormat(format)) return format;
  throw new PollError('invalid_request', {
    issues: [{ path: 'format', message: `must be one of ${RESULTS_FORMATS.join(', ')}` }],
  });
}
