import type { FastifyInstance } from 'fastify';
import type * as z from 'zod';
import { keyOfRequest } from '../http/caller.ts';
import { bytesOfPoll, bytesOfRound } from '../http/rate-limit.ts';
import { beginRound, drawRound } from '../poll/next-round.ts';
import type { NextRound, Reading } from '../poll/poll.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import { againBody, givenMembersOfCopy } from '../poll/poll-schema.ts';
import { limitCallers, type WritingOptions } from './creation.ts';
import { acceptOptionalJson } from './json-body.ts';
import { json, type Outline } from './outline.ts';
import { type PollParams, requirePoll } from './poll-request.ts';
import { changedBody, draftOf, readManaged, requireSignIn } from './poll-routes.ts';

/** `POST /api/poll/<id>/again`. */
export async function againRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, readPoll, creation } = options;
  acceptOptionalJson(app);

  const route = { onRequest: limitCallers('changes', options), config: { outline: AGAIN } };
  app.post<PollParams>('/api/poll/:id/again', route, async (request, reply) => {
    const read = () => readManaged(request, reply, options);
    const { id } = (await read()).poll;
    const { round: ending } = parseOrThrow(againBody, request.body) ?? {};
    const given = givenMembersOfCopy(request.body as z.input<typeof againBody>);
    const draw = async (reading: Reading): Promise<NextRound> => {
      if (ending !== undefined && ending !== (reading.poll.round ?? 1)) throw new PollError('round_begun');
      const nowMs = await engine.polls.now();
      const next = drawRound(reading, given, body => draftOf(body, nowMs));
      requireSignIn(next.poll.settings.requireSignIn, options);
      return next;
    };
    await creation.onceFor(`again ${id} ${keyOfRequest(request)?.hash}`, request, {
      draw: async () => draw(await read()),
      async store(next) {
        await creation.spend(request, await bytesOfRound(next, engine.polls), bytesOfPoll(next.poll));
        await beginRound(next, engine.polls, { read, draw });
      },
    });
    const now = await requirePoll(readPoll, id);
    return changedBody(reply, now);
  });
}

const AGAIN: Outline = {
  id: 'beginNextRound',
  summary: 'Begin the next round of a poll',
  description:
    'The poll keeps its id, keys, code, page and overlays, and begins again at zero. It is prepared as the round before was, and open at once unless `"status": "upcoming"` is given: `closes_in` counts from the start, and a deadline that has passed is left out. Members of the body replace those of the poll, except for `priv` and `join_code`; answers keep their ids by their texts. The round before is closed, and `?round=` of `readPoll` reads it with the same keys; it is visible whenever the present round is, so a round that is begun while results are hidden is hidden, too. No ballot counts in another round than its form, and all may vote again. The rounds of a verifiable poll have a log each: that of the second is `/api/poll/<id>~2/log`. At most 100 rounds.\n\nPressed twice, this begins two rounds. Send an `Idempotency-Key`, or the `round` that ends.',
  takes: ['Idempotency-Key'],
  body: { schema: againBody, example: { round: 1 }, optional: true },
  replies: { 200: json('The results of the new round.', 'ChangedResults', { headers: 'matched' }) },
  errors: ['deadline_missing', 'round_begun', 'rounds_full'],
};
