import type { FastifyInstance } from 'fastify';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import * as z from 'zod';
import { basePathOf } from '../../http/base-path.ts';
import { isLoopback } from '../../http/loopback.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import { formText } from '../../pages/page/form-text.ts';
import { html } from '../../pages/page/html.ts';
import { noticePage } from '../../pages/page/notice-page.ts';
import type { Page } from '../../pages/page/page.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { isPollId } from '../../poll/poll.ts';

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Name of the provider on pages: "Sign in with ...". */
  readonly name: string;
}

const CALLBACK_PATH = '/sign-in/callback';
const TIMEOUT_SECONDS = 10;

/** The state of a sign-in, kept in a sealed cookie. */
const flowSchema = z.object({
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  poll: z.string().refine(isPollId),
  untilMs: z.number(),
});
type SignInFlow = Pick<z.infer<typeof flowSchema>, 'verifier' | 'state' | 'nonce'>;

export class SignIn {
  readonly name: string;
  readonly #options: OidcOptions;
  readonly #callbackUrl: string;
  #provider: Promise<Configuration> | undefined;

  constructor(options: OidcOptions, voteUrl: string) {
    this.name = options.name;
    this.#options = options;
    this.#callbackUrl = new URL(basePathOf(voteUrl) + CALLBACK_PATH, voteUrl).href;
  }

  async begin(): Promise<{ readonly url: URL; readonly flow: SignInFlow }> {
    const provider = await this.#discover();
    const flow = { verifier: randomPKCECodeVerifier(), state: randomState(), nonce: randomNonce() };
    const url = buildAuthorizationUrl(provider, {
      redirect_uri: this.#callbackUrl,
      scope: 'openid',
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
    });
    return { url, flow };
  }

  /**
   * Returns the account, of which only a keyed hash is stored.
   *
   * @throws if the sign-in was rejected or is of another flow
   */
  async finish(
    requestUrl: string,
    { verifier, state, nonce }: SignInFlow,
  ): Promise<{ readonly issuer: string; readonly subject: string }> {
    const provider = await this.#discover();
    // The request has lost the path of the public URL.
    const url = new URL(this.#callbackUrl);
    url.search = new URL(requestUrl, url).search;
    const tokens = await authorizationCodeGrant(provider, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('the provider sent no ID token');
    return { issuer: claims.iss, subject: claims.sub };
  }

  /** Runs on first use and again after a failure: the provider may be down when this server starts. */
  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const server = new URL(issuer);
    // Only a provider on this machine, as in tests and trials, may use plain HTTP.
    const execute = server.protocol === 'http:' && isLoopback(server.hostname) ? [allowInsecureRequests] : [];
    this.#provider ??= discovery(server, clientId, clientSecret, undefined, {
      execute,
      timeout: TIMEOUT_SECONDS,
    }).catch((error: unknown) => {
      this.#provider = undefined;
      throw error;
    });
    return this.#provider;
  }
}

const FLOW_SECONDS = 600;

interface SignInDependencies extends PageDependencies {
  readonly signIn: SignIn;
}

export async function signInRoutes(
  server: FastifyInstance,
  { signIn, secret, cookies, viewers, clock, sendPage }: SignInDependencies,
): Promise<void> {
  server.get<{ Querystring: { poll?: string } }>('/sign-in', async (request, reply) => {
    const poll = request.query.poll ?? '';
    if (!isPollId(poll)) throw new Rejection('page_not_found');
    const viewer = await viewers.findOrCreate(request, reply);
    const { url, flow } = await signIn.begin().catch((error: unknown) => {
      request.log.error({ requestId: request.id, err: error }, 'OpenID provider unreachable');
      throw new Rejection('sign_in_unreachable');
    });
    const untilMs = clock() + FLOW_SECONDS * 1000;
    const text = Buffer.from(JSON.stringify({ ...flow, poll, untilMs })).toString('base64url');
    const sealed = (await secret()).seal('sign-in', text, viewer.voter);
    cookies.write(reply, 'sign-in', sealed, { maxAgeSeconds: FLOW_SECONDS, path: CALLBACK_PATH });
    return reply.header('cache-control', 'no-store').redirect(url.href, 303);
  });

  server.get(CALLBACK_PATH, async (request, reply) => {
    const viewer = await viewers.find(request);
    const sealed = cookies.read(request, 'sign-in', CALLBACK_PATH);
    const text = viewer && (await secret()).unseal('sign-in', sealed, viewer.voter);
    // The seal guarantees valid JSON; the schema rejects cookies of an older version.
    const flow = text && flowSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
    cookies.clear(reply, 'sign-in', CALLBACK_PATH);
    if (!viewer || !flow || flow.untilMs <= clock())
      return sendPage(reply, 400, interruptedPage(phrasesFor(request), flow ? flow.poll : undefined));
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

  server.post('/sign-out', { config: { allowance: 'none' } }, async (request, reply) => {
    viewers.signOut(reply);
    const poll = formText(request.body, 'poll');
    return reply.redirect(isPollId(poll) ? `/${poll}` : '/', 303);
  });
}

function interruptedPage(phrases: Phrases, poll: string | undefined): Page {
  const { signInStopped, toPoll } = phrases.refusal;
  const next =
    poll !== undefined && html`<p class="actions"><a class="button" href="/${poll}">${toPoll}</a></p>`;
  return noticePage(phrases, { tone: 'problem', ...signInStopped }, next);
}
