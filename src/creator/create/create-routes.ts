import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../../http/caller.ts';
import { bytesOfPoll, KEPT_REPLY_BYTES } from '../../http/rate-limit.ts';
import { findReply, type RepeatableRequest, replyOnce } from '../../http/reply-once.ts';
import { phrasesFor } from '../../locales/phrases.ts';
import { countWrongKey, LARGE_BODY_BYTES } from '../../pages/guard/rate-limit.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import { formText } from '../../pages/page/form-text.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { type PollSeed, type PollWithKeys, pollFromSeed } from '../../poll/create-poll.ts';
import { hashKey, type IsOperatorKey } from '../../poll/poll-key.ts';
import { drawSeed } from '../../show/join-codes.ts';
import type { Faults } from '../editor/faults.ts';
import { ManageSessions, managePath } from '../manage/manage-session.ts';
import { checkCreateForm, type FilledPoll, readCreateForm } from './create-form.ts';
import { createPage } from './create-page.ts';
import { isTemplate, templateAnswers } from './templates.ts';

const MAX_ROWS = 100;
const STALE_FORM: Faults = new Map([['once', { code: 'stale' }]]);
const NO_COOKIES: Faults = new Map([['once', { code: 'cookies' }]]);

type CreateBody = Partial<Record<'more' | 'template', unknown>> | undefined;

export async function createRoutes(server: FastifyInstance, options: PageDependencies): Promise<void> {
  const { secret, polls, viewers, operators, createRequiresKey, counts, limits, sendPage } = options;
  const sessions = new ManageSessions(options);

  const sendForm = async (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    filled: FilledPoll,
    faults: Faults = new Map(),
  ) => {
    const token = (await secret()).seal('create', randomBytes(32).toString('base64url'));
    const { relayUrl, signInReady } = options;
    const view = { filled, faults, token, createRequiresKey, signInReady, relayUrl };
    return sendPage(reply, status, createPage({ phrases: phrasesFor(request), ...view }));
  };

  server.get<{ Querystring: { template?: unknown } }>('/new', async (request, reply) => {
    await viewers.findOrCreate(request, reply);
    const empty = readCreateForm({ priv: '1' });
    return sendForm(request, reply, 200, withTemplate(request, empty, request.query.template));
  });

  // A key is a proof of its own, which no neighbor may block.
  const countsBy = createRequiresKey ? 'voter' : 'address';
  const creates = { bodyLimit: LARGE_BODY_BYTES, config: { allowance: 'creates', countsBy } } as const;
  server.post<{ Body: CreateBody }>('/new', creates, async (request, reply) => {
    const filled = readCreateForm(request.body);
    const { more, template } = request.body ?? {};
    if (more !== undefined) return sendForm(request, reply, 200, withOneMoreRow(filled));
    if (template !== undefined) return sendForm(request, reply, 200, withTemplate(request, filled, template));
    // Without cookies, the page of the new poll could not open.
    if (!(await viewers.find(request))) return sendForm(request, reply, 400, filled, NO_COOKIES);
    const token = (await secret()).unseal('create', formText(request.body, 'once'));
    if (token === undefined) return sendForm(request, reply, 400, filled, STALE_FORM);
    const keyFault =
      createRequiresKey && findKeyFault(operators.isOperatorKey, formText(request.body, 'key'));
    if (keyFault) {
      countWrongKey(request, counts, limits);
      return sendForm(request, reply, 403, filled, keyFault);
    }
    const created = await createOnce(options, request, filled, repeatable(token, filled));
    if ('faults' in created) return sendForm(request, reply, 400, filled, created.faults);
    const { id } = created.created.poll;
    const { adminKey, viewKey } = created;
    // Read, because the form may come again after its poll got another key.
    await sessions.open(reply, await polls.read(id), adminKey, { viewKey, isBrief: filled.isForgotten });
    await sessions.storeOutcome(reply, id, { done: 'created' });
    return reply.redirect(managePath(id), 303);
  });
}

/** Creates the poll of a form, or returns the one that the same form created before. */
async function createOnce(
  { engine, createRequiresKey, budget, emptyPollMs }: PageDependencies,
  request: FastifyRequest,
  filled: FilledPoll,
  once: RepeatableRequest,
): Promise<PollWithKeys | { readonly faults: Faults }> {
  const origin = { emptyRetentionMs: createRequiresKey ? undefined : emptyPollMs };
  const pollOf = (seed: PollSeed) => {
    const checked = checkCreateForm(filled, seed.created.poll.createdAtMs);
    if ('faults' in checked) throw new Error('A stored form no longer passes its checks');
    return pollFromSeed(checked.draft, seed, origin);
  };
  const earlier = await findReply<PollSeed>(engine.records, once);
  if (earlier) return pollOf(earlier);
  const nowMs = await engine.polls.now();
  const checked = checkCreateForm(filled, nowMs);
  if ('faults' in checked) return checked;
  const seed = await replyOnce(
    engine.records,
    once,
    await drawSeed(engine, checked.draft, nowMs),
    async drawn => {
      const { created } = pollOf(drawn);
      const bytes = bytesOfPoll(created.poll) + KEPT_REPLY_BYTES;
      const seconds = createRequiresKey ? undefined : await budget.take(callerAddress(request), bytes);
      if (seconds !== undefined) throw new Rejection('rate_limited', { retryAfterSeconds: seconds });
      await engine.polls.create(created);
    },
  );
  return pollOf(seed);
}

function findKeyFault(isOperatorKey: IsOperatorKey, key: string): Faults | undefined {
  if (key === '') return new Map([['key', { code: 'noKey' }]]);
  return isOperatorKey(hashKey(key), 'create') ? undefined : new Map([['key', { code: 'wrongKey' }]]);
}

/**
 * An unchanged form that is sent again, by a double click or a reload, is the same request.
 *
 * @param token 256 random bits of this form
 */
function repeatable(token: string, { rules, ...filled }: FilledPoll): RepeatableRequest {
  const body = { ...filled, rules: { ...rules, on: [...rules.on].sort() } };
  const content = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  return { key: `${token}.${content}`, caller: 'form', body };
}

function withOneMoreRow(filled: FilledPoll): FilledPoll {
  const rows = Math.min(MAX_ROWS, Math.max(filled.rows.length, 2) + 1);
  return { ...filled, rows: [...filled.rows, ...Array(rows - filled.rows.length).fill(rowOf(''))] };
}

/** Puts the answers of a template in the place of the typed ones. */
function withTemplate(request: FastifyRequest, filled: FilledPoll, template: unknown): FilledPoll {
  if (!isTemplate(template)) return filled;
  return { ...filled, rows: templateAnswers(phrasesFor(request), template).map(rowOf) };
}

function rowOf(answer: string): FilledPoll['rows'][number] {
  return { id: '', answer, color: '' };
}
