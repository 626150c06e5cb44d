import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest } from '../poll/invalid-request.ts';
import { pressOf, type ShowRequest } from '../show/rewrite-show.ts';
import { pressBody, unknownMembersOfPress } from '../show/show-schema.ts';
import { clearShow, type Stepped, stepShow } from '../show/shows.ts';
import { limitCallers } from './allowance.ts';
import type { ApiOptions } from './api-options.ts';
import { readIdempotencyKey } from './creation.ts';
import { acceptNoBody } from './json-body.ts';
import { accessOf, SHOW_PATH, type ShowParams, wholeShowBody } from './show-body.ts';

type Act = (name: string, request: ShowRequest) => Promise<Stepped>;

/** `POST /api/show/<name>/next`, `/previous` and `/clear`: contract, section 11. */
export async function showButtons(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const { engine } = options;
  const onRequest = limitCallers('changes', options);
  acceptNoBody(app);
  const add = (button: string, act: Act) =>
    app.post<ShowParams>(`${SHOW_PATH}/${button}`, { onRequest }, async (request, reply) => {
      const pressed = pressBody.safeParse(request.body);
      if (!pressed.success) throw invalidRequest(pressed.error);
      const { show, skipped } = await act(request.params.name, {
        ...accessOf(request, options),
        version: pressed.data.version,
        press: pressOfRequest(request, button),
      });
      reply.header('cache-control', 'private, no-store');
      return { ...wholeShowBody(show), skipped, ignored: unknownMembersOfPress(request.body) };
    });

  add('next', (name, press) => stepShow(engine, name, 'next', press));
  add('previous', (name, press) => stepShow(engine, name, 'previous', press));
  add('clear', async (name, press) => ({ show: await clearShow(engine, name, press), skipped: [] }));
}

/** @returns undefined where the request may be carried out each time that it comes */
export function pressOfRequest(request: FastifyRequest, button: string): ShowRequest['press'] {
  const key = readIdempotencyKey(request);
  return key === undefined ? undefined : pressOf(key, [button, request.body ?? null]);
}
