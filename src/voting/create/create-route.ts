import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { hashKey } from '../../poll/poll-key.ts';
import { limited } from '../guard/rate-limit.ts';
import { sendPage } from '../page/page.ts';
import type { VotingFront } from '../voting-front.ts';
import { checkCreateForm, EMPTY_POLL, type Faults, type FilledPoll, readCreateForm } from './create-form.ts';
import { createPage } from './create-page.ts';
import { createFromForm } from './create-poll.ts';
import { sharePage } from './share-page.ts';

type CreateBody = Partial<Record<'once' | 'key' | 'more', unknown>> | undefined;

const MAX_ROWS = 100;

export function addCreateRoutes(server: FastifyInstance, front: VotingFront): void {
  server.get('/new', limited(front.limits, 'pages'), async (_request, reply) =>
    sendForm(front, reply, 200, EMPTY_POLL),
  );

  server.post<{ Body: CreateBody }>('/new', limited(front.limits, 'creates'), async (request, reply) => {
    const filled = readCreateForm(request.body);
    if (request.body?.more !== undefined) return sendForm(front, reply, 200, withOneMoreRow(filled));
    const token = (await front.secret()).unseal('create', textOf(request.body?.once));
    if (token === undefined) return sendForm(front, reply, 400, filled, STALE_FORM);
    const refusal = judgeKey(front, textOf(request.body?.key));
    if (refusal) return sendForm(front, reply, 403, filled, refusal);
    const checked = checkCreateForm(filled, await front.engine.now());
    if ('faults' in checked) return sendForm(front, reply, 400, filled, checked.faults);
    const created = await createFromForm(front, checked.draft, token);
    return sendPage(reply, front.assets, 201, await sharePage(front, created, checked.draft));
  });
}

const STALE_FORM: Faults = new Map([['once', 'This form is from an older visit. Send it again from here.']]);

function judgeKey(front: VotingFront, key: string | undefined): Faults | undefined {
  if (!front.createRequiresKey) return undefined;
  if (key === undefined || key === '') return new Map([['key', "Fill in the operator's key."]]);
  return front.isOperatorKey(hashKey(key)) ? undefined : new Map([['key', "This is not an operator's key."]]);
}

async function sendForm(
  front: VotingFront,
  reply: FastifyReply,
  status: number,
  filled: FilledPoll,
  faults: Faults = new Map(),
): Promise<FastifyReply> {
  const token = (await front.secret()).seal('create', randomBytes(32).toString('base64url'));
  const view = {
    filled,
    faults,
    token,
    asksForKey: front.createRequiresKey,
    signInReady: front.signIn !== undefined,
  };
  return sendPage(reply, front.assets, status, createPage(view));
}

/** For a browser without scripts: each press comes back with a row more. */
function withOneMoreRow(filled: FilledPoll): FilledPoll {
  const rows = Math.min(MAX_ROWS, Math.max(filled.answers.length, 2) + 1);
  return { ...filled, answers: [...filled.answers, ...Array<string>(rows - filled.answers.length).fill('')] };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
