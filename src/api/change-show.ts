import type { FastifyInstance } from 'fastify';
import { countAudience } from '../engine/audience.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { judgeShow, readShow } from '../show/rewrite-show.ts';
import { changeShowBody, unknownMembersOfChange } from '../show/show-schema.ts';
import { changeShow, removeShow, shown } from '../show/shows.ts';
import { limitCallers } from './allowance.ts';
import type { ApiOptions } from './api-options.ts';
import { accessOf, SHOW_PATH, type ShowParams, showBody, wholeShowBody } from './show-body.ts';
import { pressOfRequest } from './show-buttons.ts';

/** `GET`, `PATCH` and `DELETE /api/show/<name>`: contract, section 11. */
export function showRoutes(app: FastifyInstance, options: ApiOptions): void {
  const { engine } = options;
  const onRequest = limitCallers('changes', options);

  app.get<ShowParams>(SHOW_PATH, async (request, reply) => {
    const { name } = request.params;
    const access = accessOf(request, options);
    const stored = await readShow(engine, name);
    if (!access.key) {
      reply.header('cache-control', 'no-cache');
      return showBody(shown(name, stored));
    }
    // A key that is none any more is told so: what it would have shown is missing otherwise, and nobody knows why.
    judgeShow(stored, access, 'read');
    reply.header('cache-control', 'private, no-store');
    const [screens = 0] = stored.onAir === null ? [] : await countAudience(engine.records, [stored.onAir]);
    return { ...wholeShowBody(shown(name, stored)), screens, now: Date.now() / 1_000 };
  });

  app.patch<ShowParams>(SHOW_PATH, { onRequest }, async (request, reply) => {
    const wanted = changeShowBody.safeParse(request.body);
    if (!wanted.success) throw invalidRequest(wanted.error);
    const { version, ...change } = wanted.data;
    const { name } = request.params;
    const show = await changeShow(engine, name, change, {
      ...accessOf(request, options),
      version,
      press: pressOfRequest(request, 'change'),
    });
    reply.header('cache-control', 'private, no-store');
    return { ...wholeShowBody(show), ignored: unknownMembersOfChange(request.body) };
  });

  app.delete<ShowParams>(SHOW_PATH, { onRequest }, async request => {
    const { name } = request.params;
    await removeShow(engine, name, accessOf(request, options));
    return { success: 1, name };
  });
}
