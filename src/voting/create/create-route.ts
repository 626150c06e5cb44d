import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { callerAddress } from '../../http/caller.ts';
import { type ByteBudget, bytesOfPoll, KEPT_REPLY_BYTES } from '../../http/rate-limit.ts';
import { findReply, replyOnce } from '../../http/reply-once.ts';
import { newSeed, type PollSeed, type PollWithKeys, pollFromSeed } from '../../poll/create-poll.ts';
import { hashKey, type IsOperatorKey } from '../../poll/poll-key.ts';
import { phrasesFor } from '../../web/phrases.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { Rejection } from '../guard/rejection.ts';
import type { SendPage } from '../page/page.ts';
import type { Viewers } from '../voter/viewer.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import { checkCreateForm, EMPTY_POLL, type FilledPoll, readCreateForm } from './create-form.ts';
import { createPage } from './create-page.ts';
import type { Faults } from './form-fault.ts';
import { type SiteUrls, sharePage } from './share-page.ts';

type CreateBody = Partial<Record<'once' | 'key' | 'more', unknown>> | undefined;

const MAX_ROWS = 100;

interface CreateRouteParts {
  readonly engine: Engine;
  readonly secret: ReadSecret;
  readonly viewers: Viewers;
  readonly isOperatorKey: IsOperatorKey;
  readonly createRequiresKey: boolean;
  readonly budget: ByteBudget;
  /** Milliseconds for which a poll without a ballot is kept; undefined keeps it as any other. */
  readonly emptyPollMs: number | undefined;
  /** Whether polls for signed-in people can be voted in here. */
  readonly signInReady: boolean;
  readonly urls: SiteUrls;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

export function addCreateRoutes(server: FastifyInstance, parts: CreateRouteParts): void {
  const { engine, secret, viewers, isOperatorKey, createRequiresKey, signInReady, urls, limits, sendPage } =
    parts;
  const { budget, emptyPollMs } = parts;

  const sendForm = async (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    filled: FilledPoll,
    faults: Faults = new Map(),
  ) => {
    const token = (await secret()).seal('create', randomBytes(32).toString('base64url'));
    const phrases = phrasesFor(request);
    const view = { phrases, filled, faults, token, asksForKey: createRequiresKey, signInReady };
    return sendPage(reply, status, createPage(view));
  };

  server.get('/new', limited(limits, 'pages'), async (request, reply) => {
    await viewers.greet(request, reply);
    return sendForm(request, reply, 200, EMPTY_POLL);
  });

  server.post<{ Body: CreateBody }>('/new', limited(limits, 'creates'), async (request, reply) => {
    const filled = readCreateForm(request.body);
    if (request.body?.more !== undefined) return sendForm(request, reply, 200, withOneMoreRow(filled));
    const token = (await secret()).unseal('create', textOf(request.body?.once));
    if (token === undefined) return sendForm(request, reply, 400, filled, STALE_FORM);
    const refusal = createRequiresKey && judgeKey(isOperatorKey, textOf(request.body?.key));
    if (refusal) return sendForm(request, reply, 403, filled, refusal);
    const once = onceFor(token, filled);
    const share = (made: PollWithKeys) => sendPage(reply, 201, sharePage(phrasesFor(request), urls, made));
    // Where creating needs a key, the form has come with an operator's.
    const origin = { emptyRetentionMs: createRequiresKey ? undefined : emptyPollMs };
    const pollOf = (seed: PollSeed) => {
      const checked = checkCreateForm(filled, seed.created.poll.createdAtMs);
      if ('faults' in checked) throw new Error('A form that was accepted once is not any more');
      return pollFromSeed(checked.draft, seed, origin);
    };
    const earlier = await findReply<PollSeed>(engine.records, once);
    if (earlier) return share(pollOf(earlier));
    const nowMs = await engine.polls.now();
    const checked = checkCreateForm(filled, nowMs);
    if ('faults' in checked) return sendForm(request, reply, 400, filled, checked.faults);
    const seed = await replyOnce(engine.records, once, newSeed(checked.draft, nowMs), async drawn => {
      const { created } = pollOf(drawn);
      const bytes = bytesOfPoll(created.poll) + KEPT_REPLY_BYTES;
      const seconds = createRequiresKey ? undefined : await budget.take(callerAddress(request), bytes);
      if (seconds !== undefined) throw new Rejection('rate_limited', { retryAfterSeconds: seconds });
      // Where the poll is there already, the engine leaves it alone.
      await engine.polls.create(created);
    });
    return share(pollOf(seed));
  });
}

const STALE_FORM: Faults = new Map([['once', { code: 'stale' }]]);

function judgeKey(isOperatorKey: IsOperatorKey, key: string | undefined): Faults | undefined {
  if (key === undefined || key === '') return new Map([['key', { code: 'noKey' }]]);
  return isOperatorKey(hashKey(key), 'create') ? undefined : new Map([['key', { code: 'wrongKey' }]]);
}

/**
 * The same form sent twice, by a double click or a reload, makes one poll and shows the same keys; changed, it makes another.
 *
 * @param token 256 random bits that only this form carries
 */
function onceFor(token: string, { switches, ...filled }: FilledPoll) {
  const body = { ...filled, switches: [...switches].sort() };
  const content = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  return { key: `${token}.${content}`, caller: 'form', body };
}

/** For a browser without scripts: each press comes back with a row more. */
function withOneMoreRow(filled: FilledPoll): FilledPoll {
  const rows = Math.min(MAX_ROWS, Math.max(filled.answers.length, 2) + 1);
  return { ...filled, answers: [...filled.answers, ...Array<string>(rows - filled.answers.length).fill('')] };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
