import type { FastifyInstance, FastifyReply } from 'fastify';
import { bytesOfPoll } from '../http/rate-limit.ts';
import {
  newSeed,
  type PollOrigin,
  type PollSeed,
  type PollWithKeys,
  pollFromSeed,
} from '../poll/create-poll.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import type { PollId } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { checkDraft, type PollDraft, unknownMembersOfPoll } from '../poll/poll-schema.ts';
import { formatTime } from '../poll/time.ts';
import type { ApiOptions } from './api-options.ts';
import type { Creation } from './creation.ts';

/** `POST /api/poll`: contract, section 2. */
export function createPoll(app: FastifyInstance, options: ApiOptions, creation: Creation): void {
  const { polls } = options.engine;

  app.post('/api/poll', { onRequest: creation.limit }, async (request, reply) => {
    const origin = { emptyRetentionMs: creation.emptyRetentionMs(request) };
    const seed = await creation.once(
      request,
      () => drawPoll(request.body, options),
      async drawn => {
        const { created } = pollOf(request.body, drawn, origin);
        await creation.spend(request, bytesOfPoll(created.poll));
        // Where the poll is there already, the engine leaves it alone.
        await polls.create(created);
      },
    );
    return createdReply(reply, pollOf(request.body, seed, origin), request.body, options);
  });
}

/** @throws PollError `invalid_request` */
export async function drawPoll(body: unknown, { engine, lacksSignIn }: ApiOptions): Promise<PollSeed> {
  const nowMs = await engine.polls.now();
  const draft = draftOf(body, nowMs);
  if (lacksSignIn && draft.only_reg) throw noSignIn();
  return newSeed(draft, nowMs);
}

/** The poll that a body asks for: the same one for the same seed. @throws PollError `invalid_request` */
export function pollOf(body: unknown, seed: PollSeed, origin: PollOrigin): PollWithKeys {
  return pollFromSeed(draftOf(body, seed.created.poll.createdAtMs), seed, origin);
}

function draftOf(body: unknown, nowMs: number): PollDraft {
  const checked = checkDraft(body, nowMs);
  if (!checked.success) throw invalidRequest(checked.error);
  return checked.data.poll;
}

export function createdReply(
  reply: FastifyReply,
  made: PollWithKeys,
  body: unknown,
  options: ApiOptions,
): object {
  reply.code(201).headers({ location: `/api/poll/${made.created.poll.id}`, 'cache-control': 'no-store' });
  return { ...replyTo(made, options), ignored: unknownMembersOfPoll(body) };
}

/** The key is in the fragment, which browsers send to no server. */
export function manageLink(voteUrl: string, id: PollId, adminKey: string): string {
  return `${voteUrl}/${id}/manage#key=${adminKey}`;
}

function noSignIn(): PollError {
  const message = 'needs a sign-in, and none is set up here: nobody could vote (OIDC_ISSUER)';
  return new PollError('invalid_request', { issues: [{ path: 'poll.only_reg', message }] });
}

function replyTo({ created, adminKey, viewKey }: PollWithKeys, { relayUrl, voteUrl }: ApiOptions) {
  const { id, answers } = created.poll;
  return {
    success: 1,
    id,
    content_id: id,
    admin_key: adminKey,
    view_key: viewKey,
    poll_answers: answers.map(({ id, text }, index) => ({
      id,
      answer: text,
      sorting: index + 1,
      type: 'text',
    })),
    deadline: created.deadlineMs === null ? null : formatTime(created.deadlineMs),
    ...(created.closesInMs !== undefined && { closes_in: created.closesInMs / 1000 }),
    status: created.upcoming ? 'upcoming' : 'open',
    links: {
      results: `${relayUrl}/api/poll/${id}`,
      live: `${relayUrl.replace(/^http/, 'ws')}/api/poll/${id}/live`,
      overlay: `${relayUrl}/overlay/${id}`,
      vote: `${voteUrl}/${id}`,
      manage: manageLink(voteUrl, id, adminKey),
      qr: `${relayUrl}/api/poll/${id}/qr.svg`,
    },
  };
}
