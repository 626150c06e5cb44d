import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerAddress } from '../http/address-group.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { findReply, type RepeatableRequest, replyOnce } from '../http/reply-once.ts';
import { type PollWithKeys, pollWithKeys } from '../poll/create-poll.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { writeMoment } from '../poll/moment.ts';
import { PollError } from '../poll/poll-error.ts';
import { checkDraft, unknownMembers } from '../poll/poll-schema.ts';
import type { ApiOptions } from './api-options.ts';

const MINUTE_MS = 60_000;
const idempotencyKey = z.string().min(16).max(255).optional();

/** `POST /api/poll`: contract, section 2. */
export function createPoll(app: FastifyInstance, options: ApiOptions): void {
  const { engine } = options;
  const rateLimit = {
    max: options.createPerMinute,
    timeWindow: MINUTE_MS,
    keyGenerator: callerAddress,
  };

  app.post('/api/poll', { config: { rateLimit } }, async (request, reply) => {
    const operator = operatorOf(request, options);
    if (options.createRequiresKey && !operator)
      throw new PollError(keyOfRequest(request) ? 'api_key_rejected' : 'api_key_required', {
        message: 'Creating a poll here needs an operator’s API key.',
      });
    const key = accepted(idempotencyKey.safeParse(request.headers['idempotency-key']), 'Idempotency-Key');
    const caller = operator ?? callerAddress(request);
    const repeatable = key === undefined ? undefined : { key, caller, body: request.body };
    const created =
      (repeatable && (await findReply<PollWithKeys>(engine.records, repeatable))) ??
      (await create(request.body, repeatable, options));
    const body = { ...replyTo(created, options), ignored: unknownMembers(request.body) };
    return reply
      .code(201)
      .headers({ location: `/api/poll/${body.id}`, 'cache-control': 'no-store' })
      .send(body);
  });
}

async function create(
  body: unknown,
  repeatable: RepeatableRequest | undefined,
  { engine }: ApiOptions,
): Promise<PollWithKeys> {
  const nowMs = await engine.polls.now();
  const { poll: draft } = accepted(checkDraft(body, nowMs));
  const fresh = pollWithKeys(draft, nowMs);
  // Where the poll is there already, the engine leaves it alone.
  const act = async ({ created }: PollWithKeys) => void (await engine.polls.create(created));
  if (repeatable) return replyOnce(engine.records, repeatable, fresh, act);
  await act(fresh);
  return fresh;
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
    deadline: created.deadlineMs === null ? null : writeMoment(created.deadlineMs),
    status: 'open',
    links: {
      results: `${relayUrl}/api/poll/${id}`,
      live: `${relayUrl.replace(/^http/, 'ws')}/api/poll/${id}/live`,
      overlay: `${relayUrl}/overlay/${id}`,
      vote: `${voteUrl}/${id}`,
      // In the fragment, which browsers send to nobody.
      manage: `${voteUrl}/${id}/manage#key=${adminKey}`,
    },
  };
}

function operatorOf(request: FastifyRequest, { isOperatorKey }: ApiOptions): string | undefined {
  const key = keyOfRequest(request);
  return key && key.carrier === 'header' && isOperatorKey(key.hash) ? key.hash : undefined;
}

function accepted<T>(
  checked: { success: true; data: T } | { success: false; error: z.ZodError },
  name?: string,
): T {
  if (checked.success) return checked.data;
  throw invalidRequest(checked.error, name);
}
