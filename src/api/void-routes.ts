import type { FastifyInstance, FastifyReply } from 'fastify';
import { addVoidRule, removeVoidRule, settleInTime, type VoidRules } from '../engine/void-ballots.ts';
import { RULE_BYTES } from '../http/rate-limit.ts';
import { formatTime } from '../poll/input-rules.ts';
import type { PollId } from '../poll/poll.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import { voidBody } from '../poll/poll-schema.ts';
import { idOfRule, NETWORK_TAG, type VoidRule } from '../poll/void-rule.ts';
import { resultsBody } from '../protocol/results-body.ts';
import { limitCallers, type WritingOptions } from './creation.ts';
import { ignoreBody } from './json-body.ts';
import { json, type Outline } from './outline.ts';
import type { VoidBody } from './poll-replies.ts';
import type { PollParams } from './poll-request.ts';
import { readManaged } from './poll-routes.ts';
import { rejectExpired } from './request-rules.ts';

const PATH = '/api/poll/:id/void';

/**
 * `POST /api/poll/<id>/void` and `DELETE /api/poll/<id>/void/<rule>`. Both store the decision, and
 * reply 202 if settling takes long.
 */
export async function voidRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, readPoll, creation } = options;
  const onRequest = limitCallers('changes', options);
  const reply = async (id: PollId, rules: VoidRules, response: FastifyReply) => {
    const warn = (cause: unknown) => response.log.warn({ cause, poll: id }, 'moving ballots failed');
    const isSettled = rules && (await settleInTime(engine.polls, id, warn));
    const now = rules && (await readPoll(id));
    if (!now) throw new PollError('poll_not_found');
    response.code(isSettled ? 200 : 202).header('cache-control', 'no-store');
    return { ...resultsBody(now), voids: rules.map(voidOf) };
  };

  app.post<PollParams>(PATH, { onRequest, config: { outline: VOID_BALLOTS } }, async (request, response) => {
    const { poll } = await readManaged(request, response, options);
    const wanted = parseOrThrow(voidBody, request.body);
    rejectExpired(request);
    const nowMs = await engine.polls.now();
    const rule: VoidRule =
      wanted.from !== undefined
        ? { fromMs: wanted.from, toMs: Math.min(wanted.to, nowMs) }
        : { ...wanted, toMs: nowMs };
    await creation.spend(request, RULE_BYTES);
    const rules = await addVoidRule(engine.polls, poll.id, rule);
    return reply(poll.id, rules, response);
  });

  await app.register(async bodiless => {
    ignoreBody(bodiless);
    const route = { onRequest, config: { outline: RESTORE_BALLOTS } };
    bodiless.delete<{ Params: { id: string; rule: string } }>(
      `${PATH}/:rule`,
      route,
      async (request, response) => {
        const { poll } = await readManaged(request, response, options);
        rejectExpired(request);
        const { rule } = request.params;
        if (!NETWORK_TAG.test(rule))
          throw new PollError('invalid_request', {
            issues: [{ path: 'rule', message: 'is not the id of a rule' }],
          });
        return reply(poll.id, await removeVoidRule(engine.polls, poll.id, rule), response);
      },
    );
  });
}

function voidOf(rule: VoidRule): VoidBody {
  const id = idOfRule(rule);
  const to = formatTime(rule.toMs);
  if ('fromMs' in rule) return { id, from: formatTime(rule.fromMs), to };
  return 'source' in rule ? { id, source: rule.source, to } : { id, network: rule.network, to };
}

const VOID_BALLOTS: Outline = {
  id: 'voidBallots',
  summary: 'Take the ballots of a network, a chat or a period out of the counts',
  description:
    'The ballots stay stored, and their voters cannot vote again. The decision is stored at once, and the last one wins. The counts are exact after each step. The reply is 200 once all ballots are out, and 202 if that takes more than five seconds; it then goes on. Results have `voided_votes`. Repeating the request for a network or a chat also takes out what it has cast since.',
  body: { schema: voidBody, example: { void: { network: 'q8Zx0hYl3TnAa1Bc' } } },
  replies: {
    200: json('The results without the ballots.', 'VoidedResults'),
    202: json('The decision is stored, and ballots are still being moved.', 'VoidedResults'),
  },
};

const RESTORE_BALLOTS: Outline = {
  id: 'restoreBallots',
  summary: 'Count voided ballots again',
  description: 'Except those that another rule matches.',
  path: [{ name: 'rule', description: 'A rule of the poll, by its `id`.', pattern: '^[\\w-]{1,64}$' }],
  replies: {
    200: json('The results with the ballots.', 'RestoredResults'),
    202: json('The decision is stored, and ballots are still being moved.', 'RestoredResults'),
  },
};
