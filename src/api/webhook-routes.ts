import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { EVENT_TYPES, type EventType } from '../events/poll-event.ts';
import { isPublicAddress } from '../events/webhook-url.ts';
import {
  addWebhook,
  drawWebhook,
  isInScope,
  listWebhooks,
  parseProgress,
  progressRecord,
  removeWebhook,
  type Webhook,
  type WebhookScope,
} from '../events/webhooks.ts';
import { keyOfRequest } from '../http/caller.ts';
import { WEBHOOK_BYTES } from '../http/rate-limit.ts';
import { formatTime, mustBe } from '../poll/input-rules.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import { timeOrNull } from '../protocol/results-body.ts';
import { openShow } from '../show/shows.ts';
import type { ApiOptions } from './api-options.ts';
import { limitCallers, type WritingOptions } from './creation.ts';
import { ignoreBody } from './json-body.ts';
import { requireOperator } from './list-polls.ts';
import { created, json, type Outline } from './outline.ts';
import type { PollParams } from './poll-request.ts';
import { readManaged } from './poll-routes.ts';
import { rejectExpired } from './request-rules.ts';
import { accessOf, type ShowParams } from './show-routes.ts';

const URL_RULE = 'must be an absolute https URL without a user name';
const MAX_URL_LENGTH = 2_048;
const READ_AT_ONCE = 500;

const url = z
  .string(URL_RULE)
  .max(MAX_URL_LENGTH, `must be at most ${MAX_URL_LENGTH} characters long`)
  .refine(isWebhookUrl, URL_RULE)
  .meta({
    pattern: '^https://[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)*(/[A-Za-z0-9/._-]*)?$',
    description: 'Events are sent here with POST. `http` is allowed with `WEBHOOK_PRIVATE_ADDRESSES` only.',
  });

/** The body of a new webhook. @param types of events that it can get */
function bodyWith(types: readonly EventType[]) {
  const events = z
    .array(z.enum(types, `must be one of ${types.join(', ')}`), mustBe('an array of strings'))
    .min(1, 'must have at least one event')
    .max(types.length, 'must name each event once')
    .default(types.filter(type => type !== 'poll.progress'))
    .describe('The wanted types of events; default all but `poll.progress`.');
  return z.object(
    {
      webhook: z.object(
        { url, events },
        mustBe('an object', 'is missing: wrap it, as in {"webhook": {...}}'),
      ),
    },
    'must be an object like {"webhook": {...}}',
  );
}

const anyWebhook = bodyWith(EVENT_TYPES);
const pollWebhook = bodyWith(EVENT_TYPES.filter(type => type.startsWith('poll.')));

/** The webhooks that a request is about. */
interface Owned {
  /** Undefined for those of the operator; these see all. */
  readonly scope?: WebhookScope | undefined;
  /** The caller, as in the record of an Idempotency-Key. */
  readonly caller: string;
}

interface WebhookList {
  /** The address of their list; a webhook is at `<path>/:webhook`. */
  readonly path: string;
  readonly body: typeof anyWebhook;
  readonly outlines: { readonly create: Outline; readonly list: Outline; readonly remove: Outline };
  /** @throws PollError unless the caller may manage them */
  readonly open: (request: FastifyRequest, reply: FastifyReply) => Promise<Owned>;
}

interface WebhookParams {
  readonly Params: { readonly webhook: string };
}

/** Webhooks of the operator, of a poll and of a show: `POST` and `GET` of their list, and `DELETE` of one. */
export async function webhookRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, isOperatorKey } = options;
  const callerOf = (request: FastifyRequest) => `webhook ${keyOfRequest(request)?.hash}`;
  await app.register(routesAt, {
    ...options,
    path: '/api/webhook',
    body: anyWebhook,
    outlines: { create: CREATE_WEBHOOK, list: LIST_WEBHOOKS, remove: DELETE_WEBHOOK },
    async open(request) {
      requireOperator(request, isOperatorKey, 'manage');
      return { caller: callerOf(request) };
    },
  });
  await app.register(readingRoute, options);
  await app.register(routesAt, {
    ...options,
    path: '/api/poll/:id/webhook',
    body: pollWebhook,
    outlines: outlinesOf('Poll', 'Needs the poll’s `admin_key`, the key of its show or an operator’s key.'),
    async open(request, reply) {
      const { id } = (await readManaged(request as FastifyRequest<PollParams>, reply, options)).poll;
      return { scope: { poll: id }, caller: `${callerOf(request)} ${id}` };
    },
  });
  await app.register(routesAt, {
    ...options,
    path: '/api/show/:name/webhook',
    body: anyWebhook,
    outlines: outlinesOf('Show', 'Needs the `show_key` or an operator’s key.'),
    async open(request) {
      const { name } = request.params as ShowParams['Params'];
      const { owner } = await openShow(engine, name, accessOf(request, options));
      return { scope: { show: owner }, caller: `${callerOf(request)} ${owner.id}` };
    },
  });
}

async function routesAt(app: FastifyInstance, list: WritingOptions & WebhookList): Promise<void> {
  const { engine, creation, path, body, outlines, open } = list;
  const { records } = engine;
  const onRequest = limitCallers('changes', list);

  app.post(path, { onRequest, config: { outline: outlines.create } }, async (request, reply) => {
    const { scope, caller } = await open(request, reply);
    const webhook = await creation.onceFor(caller, request, {
      async draw() {
        const wanted = parseOrThrow(body, request.body).webhook;
        requirePublic(wanted.url, list);
        const creator = scope && (await creation.digestOfCaller(request));
        return drawWebhook(engine, wanted.url, [...new Set(wanted.events)], { scope, creator });
      },
      async store(drawn) {
        await creation.spend(request, WEBHOOK_BYTES);
        await addWebhook(records, drawn);
      },
    });
    reply.code(201).header('cache-control', 'no-store');
    if (!scope) reply.header('location', `${path}/${webhook.id}`);
    return { success: 1, ...bodyOf(webhook), secret: webhook.secret };
  });

  app.get(path, { config: { outline: outlines.list } }, async (request, reply) => {
    const { scope } = await open(request, reply);
    const webhooks = (await listWebhooks(records)).filter(one => !scope || isInScope(one, scope));
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

  await app.register(async bodiless => {
    ignoreBody(bodiless);
    const route = { onRequest, config: { outline: outlines.remove } };
    bodiless.delete<WebhookParams>(`${path}/:webhook`, route, async (request, reply) => {
      const { scope } = await open(request, reply);
      rejectExpired(request);
      const { webhook: id } = request.params;
      if (!(await removeWebhook(records, id, scope))) throw new PollError('webhook_not_found');
      reply.header('cache-control', 'no-store');
      return { success: 1, id };
    });
  });
}

/** `GET /api/webhook/<id>`. */
async function readingRoute(app: FastifyInstance, { engine, isOperatorKey }: WritingOptions): Promise<void> {
  const { records } = engine;
  const route = { config: { outline: READ_WEBHOOK } };
  app.get<WebhookParams>('/api/webhook/:webhook', route, async (request, reply) => {
    requireOperator(request, isOperatorKey, 'manage');
    const webhook = (await listWebhooks(records)).find(({ id }) => id === request.params.webhook);
    if (!webhook) throw new PollError('webhook_not_found');
    const text = await records.find(progressRecord(webhook.id));
    reply.header('cache-control', 'private, no-store');
    return { success: 1, ...watchedBody(webhook, text, await engine.events.findNewest()) };
  });
}

function bodyOf({ id, url, events, createdAtMs, scope }: Webhook) {
  return {
    id,
    url,
    events,
    created_at: formatTime(createdAtMs),
    ...(scope && ('poll' in scope ? scope : { show: scope.show.name })),
  };
}

/** @param text the stored progress */
function watchedBody(webhook: Webhook, text: string | undefined, newest: number) {
  const { failingSinceMs, disabledAtMs, position } = parseProgress(webhook, text);
  return {
    ...bodyOf(webhook),
    failing_since: timeOrNull(failingSinceMs),
    disabled_at: timeOrNull(disabledAtMs),
    // It counts the events of all polls, which is not for the owner of one.
    pending: webhook.scope ? undefined : Math.max(0, newest - position),
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
    'By the Standard Webhooks specification, at least once each, in order for each poll and show. Failed deliveries are repeated for a day; then the webhook is disabled. It sees all polls and shows. Needs an operator’s key.',
  takes: ['Idempotency-Key'],
  body: {
    schema: anyWebhook,
    example: { webhook: { url: 'https://hooks.example/polls', events: ['poll.closed'] } },
  },
  replies: { 201: created('The webhook was created.', 'CreatedWebhook') },
  errors: ['webhooks_full'],
};

const LIST_WEBHOOKS: Outline = {
  id: 'listWebhooks',
  summary: 'List the webhooks',
  description:
    'In order of creation, without their secrets, those of polls and shows too. Needs an operator’s key.',
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
  path: [WEBHOOK_ID],
  replies: { 200: json('The webhook was deleted.', 'DeletedWebhook') },
  errors: ['webhook_not_found', 'route_not_found'],
};

function outlinesOf(what: 'Poll' | 'Show', needs: string): WebhookList['outlines'] {
  const of = `a ${what.toLowerCase()}`;
  // Simulated polls have none.
  const errors = what === 'Poll' ? (['method_not_allowed'] as const) : ([] as const);
  return {
    create: {
      ...CREATE_WEBHOOK,
      id: `create${what}Webhook`,
      summary: `Send the events of ${of} to an address`,
      description: `As other webhooks, about this ${what.toLowerCase()} alone${what === 'Show' ? ' and the polls that were created in it' : ''}; it ends with it. ${needs}`,
      body: {
        schema: what === 'Poll' ? pollWebhook : anyWebhook,
        example: {
          webhook: { url: 'https://hooks.example/polls', events: ['poll.progress', 'poll.closed'] },
        },
      },
      replies: { 201: json('The webhook was created.', 'CreatedWebhook') },
    },
    list: {
      ...LIST_WEBHOOKS,
      id: `list${what}Webhooks`,
      summary: `List the webhooks of ${of}`,
      description: `In order of creation, without their secrets. ${needs}`,
      errors,
    },
    remove: {
      ...DELETE_WEBHOOK,
      id: `delete${what}Webhook`,
      summary: `Delete a webhook of ${of}`,
      description: `Nothing more is sent to it, except what is on its way. ${needs}`,
      errors: ['webhook_not_found'],
    },
  };
}
