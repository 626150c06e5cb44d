import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { pollOfEntry } from '../events/poll-event.ts';
import { keyOfRequest } from '../http/caller.ts';
import { POLL_STATUSES, type Reading, SHOW_NAME, SHOW_NAME_RULE } from '../poll/poll.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import { writtenMembers } from '../poll/poll-members.ts';
import { resultsBody } from '../protocol/results-body.ts';
import type { ApiOptions } from './api-options.ts';
import { json, type Outline } from './outline.ts';
import { wholeNumber } from './poll-request.ts';

const MOST = 100;
const LIMIT = `must be a whole number from 1 to ${MOST}`;
/** Polls read for one page of a filtered list. */
const MAX_READ = 1_000;
const CURSOR = 'must be the cursor of an earlier page';

const listQuery = z.object({
  limit: wholeNumber(1, MOST, LIMIT, 'Polls on a page, at most.').default(50),
  cursor: z
    .string(CURSOR)
    .regex(/^\d{15}[0-9A-Za-z]{12}$/, CURSOR)
    .optional()
    .describe('The `cursor` of the page before.'),
  status: z.enum(POLL_STATUSES, 'must be upcoming, open or closed').optional(),
  show: z
    .string(SHOW_NAME_RULE)
    .regex(SHOW_NAME, SHOW_NAME_RULE)
    .optional()
    .describe('Only polls that were created in this show.'),
});

/** `GET /api/poll`. */
export async function listPolls(app: FastifyInstance, { isOperatorKey, engine }: ApiOptions): Promise<void> {
  app.get('/api/poll', { config: { outline: LIST_POLLS } }, async (request, reply) => {
    requireOperator(request, isOperatorKey);
    const { limit, cursor, status, show } = parseOrThrow(listQuery, request.query);
    const isWanted = ({ poll, results }: Reading) =>
      (status === undefined || results.status === status) && (show === undefined || poll.show?.name === show);
    const polls: object[] = [];
    let next: string | undefined = cursor;
    let isEnd = false;
    for (let read = 0; polls.length < limit && !isEnd && read < MAX_READ; read += limit) {
      const entries = await engine.events.list(limit, next);
      isEnd = entries.length < limit;
      const readings = await Promise.all(entries.map(entry => engine.polls.find(pollOfEntry(entry))));
      for (const [index, reading] of readings.entries()) {
        if (polls.length === limit) {
          isEnd = false;
          break;
        }
        const entry = entries[index]!;
        next = entry;
        if (!reading) void engine.announcer.tellSoon(pollOfEntry(entry));
        else if (isWanted(reading)) polls.push(bodyOf(reading));
      }
    }
    reply.header('cache-control', 'private, no-store');
    return { success: 1, polls, cursor: isEnd ? null : (next ?? null) };
  });
}

/** @throws PollError `api_key_required`, `api_key_rejected` */
export function requireOperator(
  request: FastifyRequest,
  isOperatorKey: ApiOptions['isOperatorKey'],
  scope: 'read' | 'manage' = 'read',
): void {
  const key = keyOfRequest(request);
  if (!key) throw new PollError('api_key_required', { message: 'This needs an operator’s API key.' });
  const isOperator = isOperatorKey(key.hash, scope) || isOperatorKey(key.hash, 'manage');
  if (!isOperator || key.carrier === 'query')
    throw new PollError('api_key_rejected', {
      message: 'This needs an operator’s API key, in a header.',
    });
}

function bodyOf(reading: Reading) {
  const { position: _, success: __, poll_answers: ___, ...results } = resultsBody(reading);
  return { ...results, ...writtenMembers(reading.poll) };
}

const LIST_POLLS: Outline = {
  id: 'listPolls',
  summary: 'List polls, newest first',
  description:
    'All polls, private ones too. Needs an operator’s key. With a filter a page may have fewer polls than `limit`, even none; the list ends where `cursor` is `null`.',
  key: 'required',
  query: listQuery,
  replies: { 200: json('A page of the list.', 'PollList') },
};
