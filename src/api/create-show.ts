import type { FastifyInstance } from 'fastify';
import { SHOW_BYTES } from '../http/rate-limit.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { createKey, hashKey } from '../poll/poll-key.ts';
import { createShowBody, unknownMembersOfNewShow } from '../show/show-schema.ts';
import { createShow, type Show } from '../show/shows.ts';
import type { ApiOptions } from './api-options.ts';
import type { Creation } from './creation.ts';

interface ShowWithKey extends Pick<Show, 'name' | 'title'> {
  readonly showKey: string;
}

/** `POST /api/show`: contract, section 11. */
export function addShow(app: FastifyInstance, options: ApiOptions, creation: Creation): void {
  app.post('/api/show', { onRequest: creation.limit }, async (request, reply) => {
    const draw = async () => {
      const checked = createShowBody.safeParse(request.body);
      if (!checked.success) throw invalidRequest(checked.error);
      return { ...checked.data.show, showKey: createKey('show') };
    };
    const isKept = creation.isOperator(request);
    const made = await creation.once(request, draw, async drawn => {
      await creation.spend(request, SHOW_BYTES);
      await createShow(options.engine, drawn, hashKey(drawn.showKey), isKept);
    });
    reply.code(201).headers({ location: `/api/show/${made.name}`, 'cache-control': 'no-store' });
    return { ...replyTo(made, options), ignored: unknownMembersOfNewShow(request.body) };
  });
}

function replyTo({ name, title, showKey }: ShowWithKey, { relayUrl, voteUrl }: ApiOptions) {
  return {
    success: 1,
    name,
    title,
    on_air: null,
    show_key: showKey,
    links: {
      overlay: `${relayUrl}/overlay/show/${name}`,
      vote: `${voteUrl}/show/${name}`,
      // In the fragment, which browsers send to nobody.
      desk: `${voteUrl}/desk/${name}#key=${showKey}`,
      live: `${relayUrl.replace(/^http/, 'ws')}/api/show/${name}/live`,
      qr: `${relayUrl}/api/show/${name}/qr.svg`,
    },
  };
}
