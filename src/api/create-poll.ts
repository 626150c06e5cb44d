import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressGroup } from '../http/address-group.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { createPollId, draftToPoll } from '../poll/create-poll.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';
import { createKey, hashKey } from '../poll/poll-key.ts';
import { checkDraft, type PollDraft, unknownMembers } from '../poll/poll-schema.ts';
import type { ApiOptions } from './api-options.ts';
import { findReply, type RepeatableRequest, replyOnce } from './idempotency.ts';

const MINUTE_MS = 60_000;
const idempotencyKey = z.string().min(16).max(255).optional();

/** `POST /api/poll`: contract, section 2. */
export function createPoll(app: FastifyInstance, options: ApiOptions): void {
  const { engine } = options;
  const rateLimit = {
    max: options.createPerMinute,
    timeWindow: MINUTE_MS,
    keyGenerator: (request: FastifyRequest) => addressGroup(request.ip),
  };

  app.post('/api/poll', { config: { rateLimit } }, async (request, reply) => {
    const operator = operatorOf(request, options);
    if (options.createRequiresKey && !operator)
      throw new PollError(keyOfRequest(request) ? 'api_key_rejected' : 'api_key_required', {
        message: 'Creating a poll here needs an operator’s API key.',
      });
    const key = accepted(idempotencyKey.safeParse(request.headers['idempotency-key']), 'Idempotency-Key');
    const caller = operator ?? addressGroup(request.ip);
    const repeatable = key === undefined ? undefined : { key, caller, body: request.body };
    const earlier = repeatable && (await findReply<CreatedReply>(engine.records, repeatable));
    const created = earlier ?? (await create(request.body, repeatable, options));
    return reply.code(201).header('location', `/api/poll/${created.id}`).send(created);
  });
}

type CreatedReply = ReturnType<typeof replyTo>;

async function create(
  body: unknown,
  repeatable: RepeatableRequest | undefined,
  options: ApiOptions,
): Promise<CreatedReply> {
  const { engine } = options;
  const { poll: draft } = accepted(checkDraft(body, await engine.now()));
  const fresh = replyTo(body, options);
  const act = (promised: CreatedReply) => store(draft, promised, options);
  if (repeatable) return replyOnce(engine.records, repeatable, fresh, act);
  await act(fresh);
  return fresh;
}

/** Made before the poll is, so that a reply can be kept first: a crash in between is healed by the retry. */
function replyTo(body: unknown, { relayUrl, voteUrl }: ApiOptions) {
  const id = createPollId();
  return {
    success: 1,
    id,
    content_id: id,
    admin_key: createKey('admin'),
    view_key: createKey('view'),
    ignored: unknownMembers(body),
    links: {
      results: `${relayUrl}/api/poll/${id}`,
      live: `${relayUrl.replace(/^http/, 'ws')}/api/poll/${id}/live`,
      overlay: `${relayUrl}/overlay/${id}`,
      vote: `${voteUrl}/${id}`,
      manage: `${voteUrl}/${id}/manage`,
    },
  };
}

/** Where the poll is there already, the engine leaves it alone. */
async function store(draft: PollDraft, reply: CreatedReply, { engine }: ApiOptions): Promise<void> {
  const keys = { adminKeyHash: hashKey(reply.admin_key), viewKeyHash: hashKey(reply.view_key) };
  await engine.createPoll(draftToPoll(draft, reply.id, keys, await engine.now()));
}

function operatorOf(request: FastifyRequest, { isOperatorKey }: ApiOptions): string | undefined {
  const key = keyOfRequest(request);
  return key && key.carrier === 'header' && isOperatorKey(key.hash) ? key.hash : undefined;
}

function accepted<T>(checked: z.ZodSafeParseResult<T>, name?: string): T {
  if (checked.success) return checked.data;
  throw invalidRequest(checked.error, name);
}
