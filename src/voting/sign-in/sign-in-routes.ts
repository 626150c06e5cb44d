import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { isPollId } from '../../poll/create-poll.ts';
import { type Phrases, phrasesFor } from '../../web/phrases.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { Rejection } from '../guard/rejection.ts';
import { html } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { type Page, type SendPage, SITE_NAME } from '../page/page.ts';
import type { CookieJar } from '../voter/cookie-jar.ts';
import type { Viewers } from '../voter/viewer.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import { CALLBACK_PATH, type SignIn } from './sign-in.ts';

const FLOW_SECONDS = 600;
const flowSchema = z.object({
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  poll: z.string().refine(isPollId),
  untilMs: z.number(),
});

interface SignInRouteParts {
  readonly signIn: SignIn;
  readonly secret: ReadSecret;
  readonly cookies: CookieJar;
  readonly viewers: Viewers;
  readonly clock: () => number;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

export function addSignInRoutes(server: FastifyInstance, parts: SignInRouteParts): void {
  const { signIn, secret, cookies, viewers, clock, limits, sendPage } = parts;

  server.get<{ Querystring: { poll?: string } }>(
    '/sign-in',
    limited(limits, 'pages'),
    async (request, reply) => {
      const poll = request.query.poll ?? '';
      if (!isPollId(poll)) throw new Rejection('page_not_found');
      const viewer = await viewers.greet(request, reply);
      const { url, flow } = await begin(signIn, request);
      const untilMs = clock() + FLOW_SECONDS * 1000;
      const text = Buffer.from(JSON.stringify({ ...flow, poll, untilMs })).toString('base64url');
      const sealed = (await secret()).seal('sign-in', text, viewer.voter);
      cookies.write(reply, 'sign-in', sealed, { maxAgeSeconds: FLOW_SECONDS, path: CALLBACK_PATH });
      return reply.header('cache-control', 'no-store').redirect(url.href, 303);
    },
  );

  server.get(CALLBACK_PATH, limited(limits, 'pages'), async (request, reply) => {
    const viewer = await viewers.find(request);
    const sealed = cookies.read(request, 'sign-in', CALLBACK_PATH);
    const flow = viewer && readFlow((await secret()).unseal('sign-in', sealed, viewer.voter));
    cookies.clear(reply, 'sign-in', CALLBACK_PATH);
    if (!viewer || !flow || flow.untilMs <= clock())
      return sendPage(reply, 400, interruptedPage(phrasesFor(request), flow?.poll));
    try {
      const { issuer, subject } = await signIn.finish(request.url, flow);
      const account = (await secret()).hash('account', issuer, subject);
      await viewers.signIn(reply, viewer.voter, account);
    } catch (error) {
      request.log.warn({ requestId: request.id, err: error }, 'sign-in failed');
      return sendPage(reply, 400, interruptedPage(phrasesFor(request), flow.poll));
    }
    return reply.redirect(`/${flow.poll}`, 303);
  });

  server.post<{ Body: { poll?: unknown } | undefined }>('/sign-out', async (request, reply) => {
    viewers.signOut(reply);
    const poll = request.body?.poll;
    return reply.redirect(typeof poll === 'string' && isPollId(poll) ? `/${poll}` : '/', 303);
  });
}

async function begin(signIn: SignIn, request: FastifyRequest) {
  try {
    return await signIn.begin();
  } catch (error) {
    request.log.error({ requestId: request.id, err: error }, 'OpenID provider unreachable');
    throw new Rejection('sign_in_unreachable');
  }
}

function readFlow(text: string | undefined): z.infer<typeof flowSchema> | undefined {
  // The seal is ours, so what is inside parses; the schema is there for a cookie of an older version.
  return text === undefined
    ? undefined
    : flowSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
}

function interruptedPage(phrases: Phrases, poll: string | undefined): Page {
  const { signInStopped, toPoll } = phrases.refusal;
  return {
    phrases,
    title: `${signInStopped.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['page.js'],
    body: html`<h1 class="visually-hidden">${SITE_NAME}</h1>${noticeBox({ tone: 'problem', ...signInStopped })}
${poll !== undefined && html`<p class="actions"><a class="button" href="/${poll}">${toPoll}</a></p>`}`,
  };
}
