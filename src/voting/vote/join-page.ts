import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { Turns } from '../../engine/turns.ts';
import { callerAddress } from '../../http/caller.ts';
import type { MinuteCounts } from '../../http/rate-limit.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import { parseJoinCode } from '../../poll/join-code.ts';
import { findJoined, type Joined } from '../../show/join-codes.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { Rejection } from '../guard/rejection.ts';
import { noticeBox } from '../page/components.ts';
import { html, type Markup } from '../page/html.ts';
import { type SendPage, SITE_NAME } from '../page/page.ts';

/** Wrong codes a minute of one network. */
const MAX_WRONG = 20;
/** What is typed around the digits is cut off after so many characters. */
const MAX_TYPED = 40;

interface JoinDependencies {
  readonly engine: Engine;
  readonly counts: MinuteCounts;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

/** Adds `/join`, which leads from a code to its poll or show. Its field needs no script. */
export async function joinRoutes(server: FastifyInstance, dependencies: JoinDependencies): Promise<void> {
  const { limits, sendPage } = dependencies;
  const turns = new Turns();

  async function join(request: FastifyRequest, reply: FastifyReply, typed: string): Promise<FastifyReply> {
    const code = parseJoinCode(typed.slice(0, MAX_TYPED));
    const network = callerAddress(request);
    // One after the other, so that requests at the same time find no more than others.
    const joined = code && (await turns.take(network, () => tryCode(dependencies, network, code)));
    if (!joined) return sendJoin(request, reply, typed);
    const path = joined.show === undefined ? `/${joined.poll}` : `/show/${joined.show}`;
    return reply.header('cache-control', 'no-store').redirect(path, 302);
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

  const pages = limited(limits, 'pages');
  server.get<{ Querystring: { code?: unknown } }>('/join', pages, async (request, reply) => {
    const { code } = request.query;
    return typeof code === 'string' ? join(request, reply, code) : sendJoin(request, reply);
  });
  server.get<{ Params: { code: string } }>('/join/:code', pages, async (request, reply) =>
    join(request, reply, request.params.code),
  );
}

/** @param typed undefined for an empty field */
export function joinForm({ vote }: Pick<Phrases, 'vote'>, label: string, typed?: string): Markup {
  return html`<form method="get" action="/join" class="join">
<label class="field"><span>${label}</span>
<input name="code" value="${typed?.slice(0, MAX_TYPED) ?? ''}" required inputmode="numeric" maxlength="${MAX_TYPED}" dir="ltr" autocomplete="off"${typed !== undefined && html` aria-invalid="true"`}></label>
<button type="submit" class="quiet">${vote.join.go}</button>
</form>`;
}

/** @throws Rejection `rate_limited`, also for a right code, because a guess would otherwise be answered */
async function tryCode(
  { engine, counts }: JoinDependencies,
  network: string,
  code: string,
): Promise<Joined | undefined> {
  const wrong = `wrong code ${network}`;
  const { current, ttl } = counts.read(wrong);
  if (current >= MAX_WRONG)
    throw new Rejection('rate_limited', { retryAfterSeconds: Math.ceil(ttl / 1_000) });
  const joined = await findJoined(engine, code);
  if (!joined) counts.add(wrong);
  return joined;
}
