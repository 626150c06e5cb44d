import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { notFound } from '../engine/not-found.ts';
import { readRound } from '../engine/read-round.ts';
import { hasKey, keyOfRequest } from '../http/caller.ts';
import { etagOf, isNotModified, JSON_TYPE } from '../http/entity-tag.ts';
import { areResultsPublic, MAX_ROUNDS, type Poll, type Reading } from '../poll/poll.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import { authorizeManage, authorizeRead } from '../poll/poll-key.ts';
import { publicMembers, writtenMembers } from '../poll/poll-members.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { hiddenMessage, positionOf, resultsText } from '../protocol/results-body.ts';
import { keysOf } from '../show/show.ts';
import type { ApiOptions } from './api-options.ts';
import { cached, json, type Outline } from './outline.ts';
import { type PollParams, wholeNumber } from './poll-request.ts';
import { formatResults, formatRevealed, RESULTS_FORMATS, type ResultsFormat } from './results-formats.ts';

const MAX_AGE_S = 60;

const FORMATS = ['json', ...RESULTS_FORMATS] as const;
const FORMAT = `must be one of ${FORMATS.join(', ')}`;
const ROUND = `must be a whole number from 1 to ${MAX_ROUNDS}`;
const MAX_AGE = `must be a whole number of seconds from 1 to ${MAX_AGE_S}`;

export const roundQuery = wholeNumber(
  1,
  MAX_ROUNDS,
  ROUND,
  'An earlier round of a poll that was begun again.',
).optional();

export const resultsQuery = z.object({
  format: z
    .enum(FORMATS, FORMAT)
    .optional()
    .transform(format => (format === 'json' ? undefined : format))
    .describe('Another format of the same results, one row per answer.'),
  round: roundQuery,
  max_age: wholeNumber(
    1,
    MAX_AGE_S,
    MAX_AGE,
    'Allows results that are up to this many seconds old, so that caches can answer. Has no effect with a key.',
  ).optional(),
});

/** `GET /api/poll/<id>`. */
export async function readResults(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const { engine, readPoll, readRecentPoll, isOperatorKey, turns } = options;
  const route = { config: { outline: READ_POLL } };
  app.get<PollParams>('/api/poll/:id', route, async (request, reply) => {
    const { format, round, max_age: maxAge } = parseOrThrow(resultsQuery, request.query);
    if (!isReadablePollId(request.params.id)) throw new PollError('poll_not_found');
    const mayBeOld = maxAge !== undefined && !hasKey(request);
    const current = await (mayBeOld ? readRecentPoll : readPoll)(request.params.id);
    if (!current) throw await notFound(engine, 'poll_not_found', request.params.id);
    const reading = await readRound(engine.polls, current, round);
    if (format !== undefined) await turns.take(request);
    const key = keyOfRequest(request);
    const keys = key ? await keysOf(engine, reading) : reading.keys;
    const access = authorizeRead(key, keys, isOperatorKey);
    // Also if the results are public, as on the live stream: a program with a wrong key would
    // fail once they are hidden.
    if (access === 'rejected') throw new PollError('api_key_rejected');
    const isManager = authorizeManage(key, keys, isOperatorKey) === 'granted';
    const isPublic = areResultsPublic(reading.results) && !isManager;
    const isRevealed = reading.results.revealedFrom !== undefined && access === 'absent';
    if (isPublic || isRevealed) {
      reply.header('cache-control', cachingOf(mayBeOld ? maxAge : undefined));
      return (isPublic ? sendPublic : sendRevealed)(request, reply, reading, format);
    }

    if (access === 'absent') throw new PollError('api_key_required');
    reply.header('cache-control', 'private, no-store');
    return send(reply, reading, format, isManager ? writtenMembers : publicMembers);
  });
}

function sendPublic(
  request: FastifyRequest,
  reply: FastifyReply,
  reading: Reading,
  format?: ResultsFormat,
): FastifyReply {
  const etag = `W/"${positionOf(reading)}${format === undefined ? '' : `-${format}`}"`;
  reply.header('etag', etag);
  if (isNotModified(request, etag)) return reply.code(304).send();
  return send(reply, reading, format, publicMembers);
}

/** Sends what the steps of a reveal have shown, with a tag that follows from it alone. */
function sendRevealed(
  request: FastifyRequest,
  reply: FastifyReply,
  reading: Reading,
  format?: ResultsFormat,
): FastifyReply {
  const { type: _, ...revealed } = hiddenMessage(reading);
  const { contentType, body } =
    format === undefined
      ? { contentType: JSON_TYPE, body: JSON.stringify({ ...revealed, ...publicMembers(reading.poll) }) }
      : formatRevealed(reading, format);
  const etag = etagOf(body);
  reply.header('etag', etag);
  if (isNotModified(request, etag)) return reply.code(304).send();
  return reply.header('content-type', contentType).send(body);
}

/** @param maxAge in seconds; undefined for a reply that is current */
export function cachingOf(maxAge: number | undefined): string {
  return maxAge === undefined ? 'no-cache' : `public, max-age=${maxAge}, stale-while-revalidate=${maxAge}`;
}

function send(
  reply: FastifyReply,
  reading: Reading,
  format: ResultsFormat | undefined,
  membersOf: (poll: Poll) => object,
): FastifyReply {
  if (format !== undefined) {
    const { contentType, body } = formatResults(reading, format);
    return reply.header('content-type', contentType).send(body);
  }
  // The position changes with them: each correction raises the version.
  const members = JSON.stringify(membersOf(reading.poll)).slice(1);
  return reply.header('content-type', JSON_TYPE).send(`${resultsText(reading).slice(0, -1)},${members}`);
}

const READ_POLL: Outline = {
  id: 'readPoll',
  summary: 'Read the results',
  description:
    'A consistent snapshot that includes every vote acknowledged before the request. Hidden results need the poll’s `admin_key` or `view_key`, or an operator’s key; such replies have no `ETag`. While hidden results are revealed by steps, a request without a key gets what has been shown: answers without `votes` are not revealed yet, and there is no `timestamp`, `version` and `position`. With a key that manages the poll, the reply also has what was written at its creation.\n\nFor tools that cannot read objects, `?format=` returns the same results with one row per answer: `rows` (JSON, an array of `ResultsRow`), `csv`, `xml` or `text`, with exact texts. It is not listed as a parameter, so that generated clients have one reply type.',
  key: 'optional',
  query: resultsQuery.omit({ format: true }),
  unlisted: ['format'],
  takes: ['key', 'If-None-Match'],
  replies: cached(json('The results.', 'Results')),
  errors: ['round_not_found'],
};
