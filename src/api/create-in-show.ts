import type { FastifyInstance } from 'fastify';
import { bytesOfPoll } from '../http/rate-limit.ts';
import { createKey, hashKey } from '../poll/poll-key.ts';
import { addPoll, openShow } from '../show/show-polls.ts';
import { renewShowKey } from '../show/shows.ts';
import { limitCallers } from './allowance.ts';
import type { ApiOptions } from './api-options.ts';
import { createdReply, drawPoll, pollOf } from './create-poll.ts';
import type { Creation } from './creation.ts';
import { acceptNoBody } from './json-body.ts';
import { accessOf, SHOW_PATH, type ShowParams } from './show-routes.ts';

/** What comes into being in a show that is there: `POST /api/show/<name>/poll` and `/show_key` (contract, section 11). */
export async function createInShow(
  app: FastifyInstance,
  options: ApiOptions,
  creation: Creation,
): Promise<void> {
  const { engine, voteUrl } = options;

  app.post<ShowParams>(`${SHOW_PATH}/poll`, { onRequest: creation.limit }, async (request, reply) => {
    const access = accessOf(request, options);
    // Whoever has the key of a show was let in when the name was taken.
    const { owner: show, isKept } = await openShow(engine, request.params.name, access);
    // What an operator's show prepares is the operator's, too.
    const emptyRetentionMs = isKept ? undefined : creation.emptyRetentionMs(request);
    const origin = { show, emptyRetentionMs };
    const seed = await creation.onceFor(
      `show ${show.id}`,
      request,
      () => drawPoll(request.body, options),
      async drawn => {
        const { created } = pollOf(request.body, drawn, origin);
        await creation.spend(request, bytesOfPoll(created.poll));
        await addPoll(engine, created, access);
      },
    );
    return createdReply(reply, pollOf(request.body, seed, origin), request.body, options);
  });

  await app.register(async bodiless => {
    acceptNoBody(bodiless);
    const onRequest = limitCallers('changes', options);
    bodiless.post<ShowParams>(`${SHOW_PATH}/show_key`, { onRequest }, async (request, reply) => {
      const { name } = request.params;
      const access = accessOf(request, options);
      // The old key names the caller: it is good for nothing but to be told the new one again, by the same Idempotency-Key.
      const showKey = await creation.onceFor(
        `show_key ${name} ${access.key?.hash}`,
        request,
        async () => createKey('show'),
        async key => {
          await creation.spend(request, 0);
          await renewShowKey(engine, name, hashKey(key), access);
        },
      );
      reply.header('cache-control', 'no-store');
      const desk = `${voteUrl}/desk/${name}#key=${showKey}`;
      return { success: 1, name, show_key: showKey, links: { desk } };
    });
  });
}
