import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { hashKey, type IsOperatorKey } from '../../poll/poll-key.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import type { SendPage } from '../page/page.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import { checkCreateForm, EMPTY_POLL, type Faults, type FilledPoll, readCreateForm } from './create-form.ts';
import { createPage } from './create-page.ts';
import { createFromForm } from './create-poll.ts';
import { type SiteUrls, sharePage } from './share-page.ts';

type CreateBody = Partial<Record<'once' | 'key' | 'more', unknown>> | undefined;

const MAX_ROWS = 100;

interface CreateRouteParts {
  readonly engine: Engine;
  readonly secret: ReadSecret;
  readonly isOperatorKey: IsOperatorKey;
  readonly createRequiresKey: boolean;
  /** Whether polls for signed-in people can be voted in here. */
  readonly signInReady: boolean;
  readonly urls: SiteUrls;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

export function addCreateRoutes(server: FastifyInstance, parts: CreateRouteParts): void {
  const { engine, secret, isOperatorKey, createRequiresKey, signInReady, urls, limits, sendPage } = parts;

  const sendForm = async (
    reply: FastifyReply,
    status: number,
    filled: FilledPoll,
    faults: Faults = new Map(),
  ) => {
    const token = (await secret()).seal('create', randomBytes(32).toString('base64url'));
    const view = { filled, faults, token, asksForKey: createRequiresKey, signInReady };
    return sendPage(reply, status, createPage(view));
  };

  server.get('/new', limited(limits, 'pages'), async (_request, reply) => sendForm(reply, 200, EMPTY_POLL));

  server.post<{ Body: CreateBody }>('/new', limited(limits, 'creates'), async (request, reply) => {
    const filled = readCreateForm(request.body);
    if (request.body?.more !== undefined) return sendForm(reply, 200, withOneMoreRow(filled));
    const token = (await secret()).unseal('create', textOf(request.body?.once));
    if (token === undefined) return sendForm(reply, 400, filled, STALE_FORM);
    const refusal = createRequiresKey && judgeKey(isOperatorKey, textOf(request.body?.key));
    if (refusal) return sendForm(reply, 403, filled, refusal);
    const checked = checkCreateForm(filled, await engine.polls.now());
    if ('faults' in checked) return sendForm(reply, 400, filled, checked.faults);
    const created = await createFromForm(engine, secret, checked.draft, token);
    return sendPage(reply, 201, await sharePage(urls, created, checked.draft));
  });
}

const STALE_FORM: Faults = new Map([['once', 'This form is from an older visit. Send it again from here.']]);

function judgeKey(isOperatorKey: IsOperatorKey, key: string | undefined): Faults | undefined {
  if (key === undefined || key === '') return new Map([['key', "Fill in the operator's key."]]);
  return isOperatorKey(hashKey(key)) ? undefined : new Map([['key', "This is not an operator's key."]]);
}

/** For a browser without scripts: each press comes back with a row more. */
function withOneMoreRow(filled: FilledPoll): FilledPoll {
  const rows = Math.min(MAX_ROWS, Math.max(filled.answers.length, 2) + 1);
  return { ...filled, answers: [...filled.answers, ...Array<string>(rows - filled.answers.length).fill('')] };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
