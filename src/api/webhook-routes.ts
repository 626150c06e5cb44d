import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { EVENT_TYPES } from '../events/poll-event.ts';
import { isPublicAddress } from '../events/webhook-url.ts';
import {
  addWebhook,
  drawWebhook,
  listWebhooks,
  parseProgress,
  progressRecord,
  removeWebhook,
  type Webhook,
} from '../events/webhooks.ts';
import { keyOfRequest } from '../http/caller.ts';
import { formatTime, mustBe, unknownMembers } from '../poll/input-rules.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import type { ApiOptions } from './api-options.ts';
import { limitCallers, type WritingOptions } from './creation.ts';
import { ignoreBody } from './json-body.ts';
import { requireOperator } from './list-polls.ts';
import { created, json, type Outline } from './outline.ts';
import { rejectExpired } from './request-rules.ts';

const URL_RULE = 'must be an absolute https URL without a user name';
const MAX_URL_LENGTH = 2_048;
const READ_AT_ONCE = 500;

const members = {
  url: z
    .string(URL_RULE)
    .max(MAX_URL_LENGTH, `must be at most ${MAX_URL_LENGTH} characters long`)
    .refine(isWebhookUrl, URL_RULE)
    .meta({
      pattern: '^https://[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)*(/[A-Za-z0-9/._-]*)?$',
      description: 'Events are sent here with POST. `http` is allowed with `WEBHOOK_PRIVATE_ADDRESSES` only.',
    }),
  events: z
    .array(z.enum(EVENT_TYPES, `must be one of ${EVENT_TYPES.join(', ')}`), mustBe('an array of strings'))
    .min(1, 'must have at least one event')
    .max(EVENT_TYPES.length, 'must name each event once')
    .default([...EVENT_TYPES])
    .meta({ description: 'The wanted types of events; default all.' }),
};

/** The body of `POST /api/webhook`. */
export const createWebhookBody = z.object(
  { webhook: z.object(members, mustBe('an object', 'is missing: wrap it, as in {"webhook": {...}}')) },
  'must be an object like {"webhook": {...}}',
);

const PATH = '/api/webhook/:webhook';

interface WebhookParams {
  readonly Params: { readonly webhook: string };
}

/** `POST` and `GET /api/webhook`, `GET` and `DELETE /api/webhook/<id>`. */
export async function webhookRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, isOperatorKey, creation } = options;
  const { records } = engine;
  const onRequest = limitCallers('changes', options);

  app.post('/api/webhook', { onRequest, config: { outline: CREATE_WEBHOOK } }, async (request, reply) => {
    requireOperator(request, isOperatorKey, 'manage');
    const webhook = await creation.onceFor(`webhook ${keyOfRequest(request)?.hash}`, request, {
      draw: () => {
        const { url, events } = parseOrThrow(createWebhookBody, request.body).webhook;
        requirePublic(url, options);
        return drawWebhook(engine, url, [...new Set(events)]);
      },
      async store(drawn) {
        if (!(await addWebhook(records, drawn))) throw new PollError('webhooks_full');
      },
    });
    reply.code(201).headers({ location: `/api/webhook/${webhook.id}`, 'cache-control': 'no-store' });
    return {
      success: 1,
      ...bodyOf(webhook),
      secret: webhook.secret,
      ignored: unknownMembers(request.body, 'webhook', members),
    };
  });

  app.get('/api/webhook', { config: { outline: LIST_WEBHOOKS } }, async (request, reply) => {
    requireOperator(request, isOperatorKey, 'manage');
    const webhooks = await listWebhooks(records);
    const texts: (string | undefined)[] = [];
    for (let at = 0; at < webhooks.length; at += READ_AT_ONCE) {
      const some = webhooks.slice(at, at + READ_AT_ONCE);
      texts.push(...(await records.findMany(some.map(({ id }) => progressRecord(id)))));
    }
    const newest = await engine.events.findNewest();
    reply.header('cache-control', 'private, no-store');
    return {
      success: 1,
      webhooks: webhooks.map((webhook, index) => watchedBody(webhook, texts[index], newest)),
    };
  });

  app.get<WebhookParams>(PATH, { config: { outline: READ_WEBHOOK } }, async (request, reply) => {
    requireOperator(request, isOperatorKey, 'manage');
    const webhook = (await listWebhooks(records)).find(({ id }) => id === request.params.webhook);
    if (!webhook) throw new PollError('webhook_not_found');
    const text = await records.find(progressRecord(webhook.id));
    reply.header('cache-control', 'private, no-store');
    return { success: 1, ...watchedBody(webhook, text, await engine.events.findNewest()) };
  });

  await app.register(async bodiless => {
    ignoreBody(bodiless);
    bodiless.delete<WebhookParams>(
      PATH,
      { onRequest, config: { outline: DELETE_WEBHOOK } },
      async (request, reply) => {
        requireOperator(request, isOperatorKey, 'manage');
        rejectExpired(request);
        const { webhook: id } = request.params;
        if (!(await removeWebhook(records, id))) throw new PollError('webhook_not_found');
        reply.header('cache-control', 'no-store');
        return { success: 1, id };
      },
    );
  });
}

function bodyOf({ id, url, events, createdAtMs }: Webhook) {
  return { id, url, events, created_at: formatTime(createdAtMs) };
}

/** @param text the stored progress */
function watchedBody(webhook: Webhook, text: string | undefined, newest: number) {
  const { failingSinceMs, disabledAtMs, position } = parseProgress(webhook, text);
  const orNull = (ms: number | undefined) => (ms === undefined ? null : formatTime(ms));
  return {
    ...bodyOf(webhook),
    failing_since: orNull(failingSinceMs),
    disabled_at: orNull(disabledAtMs),
    pending: Math.max(0, newest - position),
  };
}

/** A name or an address: URLs allow more, such as `*`. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/;

function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && HOST.test(hostname);
}

/** Names are checked at each delivery. @throws PollError `invalid_request` */
function requirePublic(text: string, { webhookPrivateAddresses }: ApiOptions): void {
  if (webhookPrivateAddresses) return;
  const { protocol, hostname } = new URL(text);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isPrivate = /^(.*\.)?localhost\.?$/.test(host) || (isIP(host) !== 0 && !isPublicAddress(host));
  if (protocol === 'https:' && !isPrivate) return;
  const message = isPrivate ? 'must not be a private address on this server' : URL_RULE;
  throw new PollError('invalid_request', { issues: [{ path: 'webhook.url', message }] });
}

const WEBHOOK_ID = { name: 'webhook', description: 'The webhook.', pattern: '^[0-9a-f]{18}$' };

const CREATE_WEBHOOK: Outline = {
  id: 'createWebhook',
  summary: 'Send events to an address',
  description:
    'By the Standard Webhooks specification, at least once each, in order for each poll and show. Failed deliveries are repeated for a day; then the webhook is disabled. Needs an operator’s key.',
  key: 'required',
  takes: ['Idempotency-Key'],
  body: {
    schema: createWebhookBody,
    example: { webhook: { url: 'https://hooks.example/polls', events: ['poll.closed'] } },
  },
  replies: { 201: created('The webhook was created.', 'CreatedWebhook') },
  errors: ['idempotency_key_reused', 'webhooks_full'],
};

const LIST_WEBHOOKS: Outline = {
  id: 'listWebhooks',
  summary: 'List the webhooks',
  description: 'In order of creation, without their secrets. Needs an operator’s key.',
  key: 'required',
  replies: { 200: json('The webhooks.', 'WebhookList') },
};

const READ_WEBHOOK: Outline = {
  id: 'readWebhook',
  summary: 'Read a webhook',
  description: 'As in the list. Needs an operator’s key.',
  key: 'required',
  path: [WEBHOOK_ID],
  replies: { 200: json('The webhook.', 'Webhook') },
  errors: ['webhook_not_found', 'route_not_found'],
};

const DELETE_WEBHOOK: Outline = {
  id: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Nothing more is sent to it, except what is on its way. Needs an operator’s key.',
  key: 'required',
  path: [WEBHOOK_ID],
  replies: { 200: json('The webhook was deleted.', 'DeletedWebhook') },
  errors: ['webhook_not_found', 'route_not_found'],
};
