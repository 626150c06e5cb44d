import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { Turns } from '../../engine/turns.ts';
import { callerAddress, callerIp } from '../../http/caller.ts';
import type { MinuteCounts } from '../../http/rate-limit.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import { parseJoinCode } from '../../poll/join-code.ts';
import { findJoined, type Joined } from '../../show/join-codes.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { Rejection } from '../guard/rejection.ts';
import type { HumanCheck } from '../human-check/human-check.ts';
import { noticeBox } from '../page/components.ts';
import { html, type Markup } from '../page/html.ts';
import { type SendPage, SITE_NAME } from '../page/page.ts';
import type { Viewers } from '../voter/viewer.ts';
import { type BallotRejection, CHECK_REJECTIONS, statusOfRejection } from './ballot-rejection.ts';

/** Wrong codes a minute of one network. */
const MAX_WRONG = 20;
/** Wrong codes a minute in all processes. Beyond it each try takes a proof of its own. */
const MAX_WRONG_IN_ALL = 200;
const MINUTE_MS = 60_000;
/** In place of a poll's id, which is longer. */
const SUBJECT = 'join';
/** What is typed around the digits is cut off after so many characters. */
const MAX_TYPED = 40;

interface JoinDependencies {
  readonly engine: Engine;
  readonly counts: MinuteCounts;
  readonly clock: () => number;
  readonly viewers: Viewers;
  readonly humanCheck: HumanCheck;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

/** Adds `/join`, which leads from a code to its poll or show. Its field needs no script. */
export async function joinRoutes(server: FastifyInstance, dependencies: JoinDependencies): Promise<void> {
  const { limits, viewers, humanCheck, sendPage } = dependencies;
  const turns = new Turns();

  async function join(request: FastifyRequest, reply: FastifyReply, typed: string): Promise<FastifyReply> {
    const code = parseJoinCode(typed.slice(0, MAX_TYPED));
    const network = callerAddress(request);
    if (code === undefined) return sendJoin(request, reply, typed);
    // One after the other, so that requests at the same time find no more than others.
    const tried = await turns.take(network, () => tryCode(dependencies, network, code, request));
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
${joinForm(phrases, label, typed)}`,
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
    return sendPage(reply, isFirst ? 200 : statusOfRejection(reason), {
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

  const pages = limited(limits, 'pages');
  server.get<{ Querystring: { code?: unknown } }>('/join', pages, async (request, reply) => {
    const { code } = request.query;
    return typeof code === 'string' ? join(request, reply, code) : sendJoin(request, reply);
  });
  server.get<{ Params: { code: string } }>('/join/:code', pages, async (request, reply) =>
    join(request, reply, request.params.code),
  );
  server.post<{ Body: { code?: unknown } | undefined }>('/join', pages, async (request, reply) => {
    const code = request.body?.code;
    return typeof code === 'string' ? join(request, reply, code) : sendJoin(request, reply);
  });
  server.get(`/${SUBJECT}/challenge`, pages, async (request, reply) => {
    const { voter } = await viewers.findOrCreate(request, reply);
    const challenge = await humanCheck.renew({ pollId: SUBJECT, voter });
    if (!challenge) throw new Rejection('page_not_found');
    return reply.header('cache-control', 'private, no-store').send(challenge);
  });
}

/** @param typed undefined for an empty field */
export function joinForm({ vote }: Pick<Phrases, 'vote'>, label: string, typed?: string): Markup {
  return html`<form method="get" action="/join" class="join">
<label class="field"><span>${label}</span>
<input name="code" value="${typed?.slice(0, MAX_TYPED) ?? ''}" required inputmode="numeric" maxlength="${MAX_TYPED}" dir="ltr" autocomplete="off"${typed !== undefined && html` aria-invalid="true"`}></label>
<button type="submit" class="quiet">${vote.join.go}</button>
</form>`;
}

/**
 * @returns undefined for a wrong code, or why the check that the try costs is not passed
 * @throws Rejection `rate_limited`, also for a right code, because a guess would otherwise be answered
 */
async function tryCode(
  dependencies: JoinDependencies,
  network: string,
  code: string,
  request: FastifyRequest,
): Promise<Joined | BallotRejection | undefined> {
  const { engine, counts, clock } = dependencies;
  const wrong = `wrong code ${network}`;
  const { current, ttl } = counts.read(wrong);
  if (current >= MAX_WRONG)
    throw new Rejection('rate_limited', { retryAfterSeconds: Math.ceil(ttl / 1_000) });
  const wrongInAll = `limits:wrong-codes:${Math.floor(clock() / MINUTE_MS)}`;
  // Counted before the look-up, so that tries at the same time exceed nothing together.
  const isFree = await engine.records.spend(wrongInAll, 1, MAX_WRONG_IN_ALL, MINUTE_MS);
  const rejection = isFree ? undefined : await spendProof(dependencies, code, request);
  if (rejection) return rejection;
  const joined = await findJoined(engine, code);
  if (!joined) counts.add(wrong);
  else if (isFree) await engine.records.spend(wrongInAll, -1, MAX_WRONG_IN_ALL, MINUTE_MS);
  return joined;
}

/** A proof is good for one code, which may be sent again. @returns undefined if it passes */
async function spendProof(
  { engine, viewers, humanCheck, clock }: JoinDependencies,
  code: string,
  request: FastifyRequest,
): Promise<BallotRejection | undefined> {
  const viewer = await viewers.find(request);
  const fields = request.method === 'POST' ? (request.body as Record<string, unknown>) : {};
  if (!viewer) return request.method === 'POST' ? 'cookie_missing' : 'check_missing';
  const { voter } = viewer;
  const answer = { pollId: SUBJECT, voter, fields, ballotId: code, ip: callerIp(request) };
  const verdict = await humanCheck.verify(answer);
  if (verdict.outcome !== 'passed') return CHECK_REJECTIONS[verdict.outcome];
  const { id, expiresAtMs } = verdict.proof;
  const spentOn = await engine.records.putIfAbsent(`joined:${id}`, code, expiresAtMs - clock());
  return spentOn === code ? undefined : 'check_expired';
}
