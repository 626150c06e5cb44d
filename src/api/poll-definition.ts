import type { FastifyInstance } from 'fastify';
import { etagOf, isNotModified, JSON_TYPE } from '../http/entity-tag.ts';
import type { Poll, Reading } from '../poll/poll.ts';
import { parseOrThrow } from '../poll/poll-error.ts';
import { publicMembers } from '../poll/poll-members.ts';
import { questionImage } from '../poll/rehearsal.ts';
import { questionBody } from '../protocol/results-body.ts';
import type { ApiOptions } from './api-options.ts';
import { cached, json, type Outline } from './outline.ts';
import { type PollParams, requirePoll } from './poll-request.ts';
import { cachingOf, resultsQuery } from './read-results.ts';

const definitionQuery = resultsQuery.pick({ max_age: true });

/**
 * `GET /api/poll/<id>/definition`: needs no key, also while results are hidden, because it has
 * nothing that a ballot changes.
 */
export async function readDefinition(
  app: FastifyInstance,
  { readPoll, readRecentPoll }: ApiOptions,
): Promise<void> {
  const route = { config: { outline: READ_DEFINITION } };
  app.get<PollParams>('/api/poll/:id/definition', route, async (request, reply) => {
    const { max_age: maxAge } = parseOrThrow(definitionQuery, request.query);
    const read = maxAge === undefined ? readPoll : readRecentPoll;
    const reading = await requirePoll(read, request.params.id);
    const { body, etag } = definitionOf(reading);
    reply.headers({ etag, 'cache-control': cachingOf(maxAge) });
    if (isNotModified(request, etag)) return reply.code(304).send();
    return reply.header('content-type', JSON_TYPE).send(body);
  });
}

export function etagOfDefinition(reading: Reading): string {
  return definitionOf(reading).etag;
}

/** Goes with the poll, which a channel or a cache holds. */
const newest = new WeakMap<Poll, { readonly state: string; readonly body: string; readonly etag: string }>();

function definitionOf(reading: Reading): { readonly body: string; readonly etag: string } {
  const { poll, results } = reading;
  const { status, deadlineMs, closesInMs, resultsVisibility } = results;
  const state = `${status} ${deadlineMs} ${closesInMs} ${resultsVisibility}`;
  const known = newest.get(poll);
  if (known?.state === state) return known;
  const body = JSON.stringify({
    ...questionBody(reading),
    ...publicMembers(poll),
    image: questionImage(poll),
    image_focus: poll.imageFocus,
  });
  const definition = { state, body, etag: etagOf(body) };
  newest.set(poll, definition);
  return definition;
}

const READ_DEFINITION: Outline = {
  id: 'readDefinition',
  summary: 'Read the question and its settings',
  description:
    'Everything that a voting front end needs for its form, without any count. Needs no key, also while the results are hidden. Its `ETag` is what `If-Match` of a write is compared with.',
  query: definitionQuery,
  takes: ['If-None-Match'],
  replies: cached(json('The definition.', 'Definition')),
};
