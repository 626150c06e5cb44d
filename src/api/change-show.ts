import type { FastifyInstance, FastifyRequest } from 'fastify';
import { keyOfRequest } from '../http/presented-key.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';
import { changeShowBody, unknownMembersOfChange } from '../show/show-schema.ts';
import { changeShow, findShow, removeShow, type Show } from '../show/shows.ts';
import { limitCallers } from './allowance.ts';
import type { ApiOptions } from './api-options.ts';

interface ShowParams {
  readonly Params: { readonly name: string };
}

const PATH = '/api/show/:name';

/** `GET`, `PATCH` and `DELETE /api/show/<name>`: contract, section 11. */
export function showRoutes(app: FastifyInstance, options: ApiOptions): void {
  const { engine, isOperatorKey } = options;
  const onRequest = limitCallers('changes', options);
  const accessOf = (request: FastifyRequest) => ({ key: keyOfRequest(request), isOperatorKey });

  app.get<ShowParams>(PATH, async (request, reply) => {
    const show = await findShow(engine, request.params.name);
    if (!show) throw new PollError('show_not_found');
    reply.header('cache-control', 'no-cache');
    return bodyOf(show);
  });

  app.patch<ShowParams>(PATH, { onRequest }, async request => {
    const change = changeShowBody.safeParse(request.body);
    if (!change.success) throw invalidRequest(change.error);
    const show = await changeShow(engine, request.params.name, change.data, accessOf(request));
    return { ...bodyOf(show), ignored: unknownMembersOfChange(request.body) };
  });

  app.delete<ShowParams>(PATH, { onRequest }, async request => {
    const { name } = request.params;
    await removeShow(engine, name, accessOf(request));
    return { success: 1, name };
  });
}

function bodyOf({ name, title, onAir }: Show) {
  return { success: 1, name, title, on_air: onAir };
}
