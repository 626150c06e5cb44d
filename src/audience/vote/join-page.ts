import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress, callerIp } from '../../http/caller.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import { noticeBox } from '../../pages/page/components.ts';
import { html, type Markup } from '../../pages/page/html.ts';
import { SITE_NAME } from '../../pages/page/page.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { parseJoinCode } from '../../poll/join-code.ts';
import { findJoined, type Joined } from '../../show/join-codes.ts';
import { type BallotRejection, ruleOfRejection } from './ballot-rejection.ts';

/** Wrong codes a minute of one network, and in all processes, that are answered without the human check. */
const MAX_WRONG = 20;
const MAX_WRONG_IN_ALL = 200;
const MINUTE_MS = 60_000;
/** Codes that a visitor may try with one check. */
const TRIES_OF_CHECK = 5;
/** Longer than any check is valid. */
const TRIES_KEPT_MS = 1_800_000;
/** In place of a poll's id, which is longer. */
const SUBJECT = 'join';
/** What is typed around the digits is cut off after so many characters. */
const MAX_TYPED = 40;

/** Adds `/join`, which leads from a code to its poll or show. Its field needs no script. */
export async function joinRoutes(server: FastifyInstance, dependencies: PageDependencies): Promise<void> {
  const { viewers, humanCheck, sendPage } = dependencies;

  async function join(request: FastifyRequest, reply: FastifyReply, typed: string): Promise<FastifyReply> {
    const code = parseJoinCode(typed.slice(0, MAX_TYPED));
    if (code === undefined) return sendJoin(request, reply, typed);
    const tried = await tryCode(dependencies, code, request);
    if (typeof tried === 'string') return sendCheck(request, reply, code, tried);
    if (!tried) return sendJoin(request, reply, typed);
    const path = tried.show === undefined ? `/${tried.poll}` : `/show/${tried.show}`;
    return reply.header('cache-control', 'no-store').redirect(path, request.method === 'POST' ? 303 : 302);
  }

  const sendJoin = (request: FastifyRequest, reply: FastifyReply, typed?: string) => {
    const phrases = phrasesFor(request);
    const { title, label, wrong } = phrases.vote.join;
    return sendPage(reply, typed === undefined ? 200 : 404, {
      phrases,
      title: `${title} - ${SITE_NAME}`,
      noindex: true,
      scripts: ['page.js'],
      styles: ['creator.css'],
      body: html`<h1>${title}</h1>
${typed !== undefined && noticeBox({ tone: 'problem', ...wrong })}
${joinForm(phrases, label, typed, typed === undefined)}`,
    });
  };

  /** A form that a script sends as soon as it has solved the check, but only once. */
  const sendCheck = async (
    request: FastifyRequest,
    reply: FastifyReply,
    code: string,
    reason: BallotRejection,
  ) => {
    const phrases = phrasesFor(request);
    const { vote, live } = phrases;
    const isFirst = reason === 'check_missing' && request.method === 'GET';
    const { voter } = await viewers.findOrCreate(request, reply);
    return sendPage(reply, isFirst ? 200 : ruleOfRejection(reason).status, {
      phrases,
      title: `${vote.join.title} - ${SITE_NAME}`,
      noindex: true,
      scripts: ['join.js'],
      styles: ['creator.css'],
      foreignScripts: humanCheck.scripts,
      sources: { check: humanCheck.sources },
      body: html`<h1>${live.oneMoment}</h1>
${!isFirst && noticeBox({ tone: 'problem', title: vote.notCounted[reason].title, text: false })}
<p>${vote.join.check}</p>
<form method="post" action="/join" data-join>
<input type="hidden" name="code" value="${code}">
${await humanCheck.render({ pollId: SUBJECT, voter }, true)}
<button type="submit">${vote.join.go}</button>
</form>`,
    });
  };

  server.get<{ Params: { code: string } }>('/join/:code', async (request, reply) =>
    join(request, reply, request.params.code),
  );
  server.route<{ Querystring: { code?: unknown }; Body: { code?: unknown } | undefined }>({
    method: ['GET', 'POST'],
    url: '/join',
    handler: async (request, reply) => {
      const { code } = request.body ?? request.query;
      return typeof code === 'string' ? join(request, reply, code) : sendJoin(request, reply);
    },
  });
  server.get(`/${SUBJECT}/challenge`, async (request, reply) => {
    const { voter } = await viewers.findOrCreate(request, reply);
    const challenge = await humanCheck.renew({ pollId: SUBJECT, voter });
    if (!challenge) throw new Rejection('page_not_found');
    return reply.header('cache-control', 'private, no-store').send(challenge);
  });
}

/**
 * @param typed undefined for an empty field
 * @param hasFocus as the page's only field
 */
export function joinForm(
  { vote }: Pick<Phrases, 'vote'>,
  label: string,
  typed?: string,
  hasFocus = false,
): Markup {
  return html`<form method="get" action="/join" class="join">
<label class="field"><span>${label}</span>
<input name="code" value="${typed?.slice(0, MAX_TYPED) ?? ''}" required inputmode="numeric" maxlength="${MAX_TYPED}" dir="ltr" autocomplete="off"${hasFocus && html` autofocus`}${typed !== undefined && html` aria-invalid="true"`}></label>
<button type="submit" class="quiet">${vote.join.go}</button>
</form>`;
}

/** @returns undefined for a wrong code, or why the check that the try costs is not passed */
async function tryCode(
  dependencies: PageDependencies,
  code: string,
  request: FastifyRequest,
): Promise<Joined | BallotRejection | undefined> {
  const { engine, counts } = dependencies;
  const wrong = `wrong code ${callerAddress(request)}`;
  if (counts.read(wrong).current < MAX_WRONG) {
    const joined = await findJoined(engine, code);
    // Counted after the look-up and before the reply, so that tries at the same time get no more replies than others.
    const isBelow = joined ? counts.read(wrong).current < MAX_WRONG : counts.add(wrong).current <= MAX_WRONG;
    if (isBelow && (await isFree(dependencies, joined !== undefined))) return joined;
  }
  return (await spendTry(dependencies, request)) ?? findJoined(engine, code);
}

/** Whether the limit of all networks leaves a try free. Only wrong codes count. */
function isFree({ engine, clock }: PageDependencies, isRight: boolean): Promise<boolean> {
  const name = `limits:wrong-codes:${Math.floor(clock() / MINUTE_MS)}` as const;
  const [amount, budget] = isRight ? [0, MAX_WRONG_IN_ALL - 1] : [1, MAX_WRONG_IN_ALL];
  return engine.records.spend(name, amount, budget, MINUTE_MS);
}

/**
 * Takes a try from the visitor's check: the one of this form, or else the last one.
 *
 * @returns undefined if there was one
 */
async function spendTry(
  { engine: { records }, secret, viewers, humanCheck, clock }: PageDependencies,
  request: FastifyRequest,
): Promise<BallotRejection | undefined> {
  const viewer = await viewers.find(request);
  if (!viewer) return request.method === 'POST' ? 'cookie_missing' : 'check_missing';
  const fields = request.method === 'POST' ? (request.body as Record<string, unknown>) : {};
  const { voter } = viewer;
  const answer = { pollId: SUBJECT, voter, fields, ballotId: SUBJECT, ip: callerIp(request) };
  const verdict = await humanCheck.verify(answer);
  const passed = verdict.outcome === 'passed' ? verdict.proof : undefined;
  // The check belongs to the voter, so that a code which is typed again needs no form of its own.
  const checked = `join-check:${(await secret()).forPoll(SUBJECT).hash('voter', voter)}` as const;
  if (passed) await records.put(checked, passed.id, passed.expiresAtMs - clock());
  const id = passed?.id ?? (await records.find(checked));
  const isLeft =
    id !== undefined && (await records.spend(`join-tries:${id}`, 1, TRIES_OF_CHECK, TRIES_KEPT_MS));
  if (isLeft) return undefined;
  return verdict.outcome === 'passed' ? 'check_expired' : `check_${verdict.outcome}`;
}
