import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { keyOfRequest } from '../http/presented-key.ts';
import { isPollId } from '../poll/create-poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { showName } from '../protocol/messages.ts';
import { findShow, pointShow } from '../show/show-board.ts';
import type { ApiOptions } from './api-options.ts';

const body = z.object({ poll: z.string().refine(isPollId, 'must be the id of a poll').nullable() });

/** `GET /api/show/<name>`: where a show points to, for those who cannot follow it on a socket. */
export function readShow(app: FastifyInstance, { engine }: ApiOptions): void {
  app.get<{ Params: { name: string } }>('/api/show/:name', async (request, reply) => {
    const name = showName.safeParse(request.params.name);
    if (!name.success)
      throw new PollError('invalid_request', {
        issues: [{ path: 'name', message: 'is not the name of a show' }],
      });
    reply.header('cache-control', 'no-cache');
    return { success: 1, show: name.data, poll: await findShow(engine, name.data) };
  });
}

/** `PUT /api/show/<name>`: the operator points a show to a poll, and every overlay that follows it switches at once. */
export function setShow(app: FastifyInstance, { engine, isOperatorKey }: ApiOptions): void {
  app.put<{ Params: { name: string } }>('/api/show/:name', async request => {
    const key = keyOfRequest(request);
    if (!key)
      throw new PollError('api_key_required', { message: 'Pointing a show needs an operator’s API key.' });
    if (key.carrier === 'query' || !isOperatorKey(key.hash)) throw new PollError('api_key_rejected');
    const name = showName.safeParse(request.params.name);
    const parsed = body.safeParse(request.body);
    const issues = [...(name.error?.issues ?? []), ...(parsed.error?.issues ?? [])];
    if (!name.success || !parsed.success)
      throw new PollError('invalid_request', {
        issues: issues.map(({ path, message }) => ({ path: path.join('.') || 'name', message })),
      });
    const { poll } = parsed.data;
    if (poll !== null && !(await engine.polls.find(poll))) throw new PollError('poll_not_found');
    await pointShow(engine, name.data, poll);
    return { success: 1, show: name.data, poll };
  });
}
