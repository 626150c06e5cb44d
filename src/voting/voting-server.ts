import { parse } from 'node:querystring';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { PollLogs } from '../audit/poll-logs.ts';
import type { AudienceReport } from '../engine/audience.ts';
import type { Engine } from '../engine/engine.ts';
import { engineChecks } from '../engine/engine-checks.ts';
import { RejectedBallotCounter } from '../engine/rejected-ballots.ts';
import { serveSiteFiles } from '../http/assets.ts';
import { basePathOf, serveBelow } from '../http/base-path.ts';
import { EventStreams } from '../http/event-stream.ts';
import type { FairTurns } from '../http/fair-turns.ts';
import { ByteBudget, daysToMs, type MinuteCounts } from '../http/rate-limit.ts';
import { addReadiness } from '../http/readiness.ts';
import { countRequests, logRequests } from '../http/request-log.ts';
import { limitHandlerTime, limitHeaders, limitPipelining, serverOptions } from '../http/server-limits.ts';
import { LANGUAGE_COOKIE, requestedLanguage } from '../locales/phrases.ts';
import { REHEARSAL_ID } from '../poll/rehearsal.ts';
import type { KeyRing } from '../show/key-ring.ts';
import type { ShowBoard } from '../show/show-board.ts';
import { addCheckRoutes } from './check/check-routes.ts';
import { addCreateRoutes } from './create/create-routes.ts';
import { addDeskRoutes } from './desk/desk-pages.ts';
import { Admission } from './guard/admission.ts';
import { BusyReplies } from './guard/busy-page.ts';
import { KnownPolls } from './guard/known-polls.ts';
import {
  addRateLimits,
  CookieGate,
  FIXED_LIMITS,
  LARGE_BODY_BYTES,
  type VotingRateLimits,
} from './guard/rate-limit.ts';
import { Rejection, sendRejection } from './guard/rejection.ts';
import { guardSameOrigin } from './guard/same-origin.ts';
import { addressIn } from './guard/shared-link.ts';
import { AltchaCheck } from './human-check/altcha-check.ts';
import type { HumanCheck } from './human-check/human-check.ts';
import { HCAPTCHA, RemoteCheck, type RemoteCheckOptions, TURNSTILE } from './human-check/remote-check.ts';
import { addManageRoutes } from './manage/manage-routes.ts';
import { PageAssets, pagePreparer, pageSender } from './page/page.ts';
import { securityHeaders } from './page/security-headers.ts';
import { addShowRoutes } from './show/show-routes.ts';
import { addSignInRoutes, type OidcOptions, SignIn } from './sign-in/sign-in.ts';
import { BallotBox, Receipts } from './vote/ballot-box.ts';
import { addBallotRoutes } from './vote/ballot-routes.ts';
import { addCommentRoutes } from './vote/comments.ts';
import { addPollList } from './vote/poll-list.ts';
import { PollPages } from './vote/poll-pages.ts';
import { addPollState } from './vote/poll-state.ts';
import { CookieJar } from './voter/cookie-jar.ts';
import { Viewers } from './voter/viewer.ts';
import { lazySecret, type ReadSecret } from './voter/voting-secret.ts';
import { VpnList } from './voter/vpn-list.ts';

/** The settings of the voting front end. Their defaults are in start/config.ts. */
export interface VotingSettings {
  /** Origin of the relay as browsers reach it, like `https://relay.example`. */
  readonly publicUrl: string;
  readonly votePublicUrl: string;
  readonly trustProxy: readonly string[] | undefined;
  /** One CIDR range a line, `#` begins a comment. Changes of the file take effect at once. */
  readonly vpnListFile: string | undefined;
  readonly oidc: OidcOptions | undefined;
  /** At most one of the two; without one, the human check is a proof of work. */
  readonly turnstile: RemoteCheckOptions | undefined;
  readonly hcaptcha: RemoteCheckOptions | undefined;
  /** Times 256, the average number of PBKDF2 iterations of the proof of work. */
  readonly proofCost: number;
  readonly rateLimits: Partial<VotingRateLimits> & Omit<VotingRateLimits, keyof typeof FIXED_LIMITS>;
  readonly countsRequests: boolean;
  readonly createRequiresKey: boolean;
  /** Bytes that one address may store per day by creating polls. */
  readonly createBytesPerDay: number;
  /** Days for which a poll without ballots, or a show without polls, is kept; 0 keeps it like any other. */
  readonly emptyPollDays: number;
  readonly emptyShowDays: number;
}

/** What the voting front end shares with the relay of its process. */
export interface VotingServices {
  readonly engine: Engine;
  readonly operators: KeyRing;
  readonly shows: ShowBoard;
  readonly audience: AudienceReport;
  readonly logs: PollLogs;
  /** For replies that take more than a millisecond. */
  readonly turns: FairTurns;
  /** Of the limits per minute. */
  readonly counts: MinuteCounts;
  /** UNIX time in milliseconds. Deadlines use the engine's clock. */
  readonly clock: () => number;
}

export interface VotingOptions extends VotingSettings {
  readonly services: VotingServices;
  readonly logger?: FastifyBaseLogger | undefined;
}

const ASSETS = '/assets/';
/** Paths of the simulated poll of a rehearsal, which has no pages. */
const REHEARSAL_PATH = new RegExp(`^/${REHEARSAL_ID}(-[0-9A-Za-z]{12})?(?![^/?])`);

type SendError = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Builds the voting front end. Does not listen; call `listen()` on the result.
 *
 * @throws if a file named in the settings cannot be read
 */
export async function buildVotingServer(options: VotingOptions): Promise<FastifyInstance> {
  const { trustProxy } = options;
  const { engine, counts, clock } = options.services;
  const voteUrl = withoutSlash(options.votePublicUrl);
  const { origin, protocol } = new URL(voteUrl);
  const assets = new PageAssets();
  const sendPage = pageSender(assets);
  const sendError: SendError = (error, request, reply) => sendRejection(sendPage, error, request, reply);
  const server = createServer(options, sendError);
  serveBelow(server, basePathOf(voteUrl));
  // Registered before the cookie plugin, whose hook writes the cookies.
  server.addHook('onSend', (request, reply, payload, done) => {
    keepLanguage(request, reply, protocol === 'https:');
    done(null, payload);
  });
  await server.register(cookie);
  // Node's parser takes half as long for a solved check as the plugin's.
  await server.register(formbody, { bodyLimit: LARGE_BODY_BYTES, parser: parseForm });
  if (options.countsRequests) countRequests(server, 'voting');
  logRequests(server);
  limitPipelining(server);
  limitHeaders(server);
  limitHandlerTime(server, ['GET', 'POST']);
  const headers = securityHeaders(voteUrl);
  const fileHeaders = securityHeaders(voteUrl, true);
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(request.url.startsWith(ASSETS) ? fileHeaders : headers);
    guardSameOrigin(request, origin);
    const address = request.method === 'GET' ? addressIn(request.url) : undefined;
    if (address === undefined) done();
    else reply.redirect(address, 302);
  });
  server.setErrorHandler(sendError);
  server.setNotFoundHandler((request, reply) => {
    const code = REHEARSAL_PATH.test(request.url) ? 'rehearsal' : 'page_not_found';
    sendError(new Rejection(code), request, reply);
  });
  addReadiness(server, 'voting', engineChecks(engine, true), {
    disconnect() {
      for (const source of pages) source.close();
    },
  });
  assets.serve(server);
  // robots.txt excludes no path: crawlers must read the `noindex` of private pages.
  serveSiteFiles(server, []);

  const secret = lazySecret(engine.records);
  const cookies = new CookieJar(voteUrl);
  const viewers = new Viewers(secret, cookies, clock);
  const limits = { ...FIXED_LIMITS, ...options.rateLimits };
  addRateLimits(server, counts, viewers);
  const pages = addPages(server, options, {
    assets,
    sendPage,
    secret,
    cookies,
    viewers,
    limits,
  });
  const gate = new CookieGate({ secret, cookies, trustProxy, newcomers: limits.newcomers });
  Admission.install(server.server, { gate, busy: new BusyReplies(voteUrl), log: server.log });
  return server;
}

/** @param sendError also for requests that reach no route, like a path that is not UTF-8 */
function createServer(options: VotingOptions, sendError: SendError): FastifyInstance {
  return Fastify({
    ...serverOptions(options),
    bodyLimit: LARGE_BODY_BYTES,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 64 },
    frameworkErrors: (error, request, reply) => {
      const address = addressIn(request.url);
      // Hooks, which would add the base path, do not run here.
      if (address !== undefined) void reply.redirect(basePathOf(options.votePublicUrl) + address, 302);
      else sendError(error, request as FastifyRequest, reply as FastifyReply);
    },
  });
}

/** Keeps the language of `?lang=` through forms and redirects. Replies for shared caches get no cookie. */
function keepLanguage(request: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  const language = requestedLanguage(request);
  const { name, maxAgeSeconds: maxAge } = LANGUAGE_COOKIE;
  if (language && !String(reply.getHeader('cache-control')).includes('public'))
    reply.setCookie(name, language, {
      path: request.server.basePath || '/',
      maxAge,
      httpOnly: true,
      sameSite: 'lax',
      secure,
    });
}

/** Any number of fields; the body limit bounds the size. */
function parseForm(text: string): Record<string, unknown> {
  return parse(text, '&', '=', { maxKeys: 0 });
}

interface ServerDependencies {
  readonly assets: PageAssets;
  readonly sendPage: ReturnType<typeof pageSender>;
  readonly secret: ReadSecret;
  readonly cookies: CookieJar;
  readonly viewers: Viewers;
  readonly limits: VotingRateLimits;
}

/** Adds the pages. Returns what holds open connections, to close with the server. */
function addPages(
  server: FastifyInstance,
  options: VotingOptions,
  dependencies: ServerDependencies,
): readonly { close(): void }[] {
  const { oidc, vpnListFile, createRequiresKey } = options;
  const { engine, operators, audience, clock } = options.services;
  const { assets, secret, cookies, limits } = dependencies;
  const { log } = server;
  const voteUrl = withoutSlash(options.votePublicUrl);
  const relayUrl = withoutSlash(options.publicUrl);
  const urls = { voteUrl, relayUrl };
  const signIn = oidc && new SignIn(oidc, voteUrl);
  const streams = new EventStreams(limits.streams);
  const services = {
    ...options.services,
    ...dependencies,
    ...urls,
    urls,
    log,
    streams,
    polls: new KnownPolls(engine),
    isOperatorKey: operators.isOperatorKey,
    vpnList: vpnListFile === undefined ? undefined : new VpnList(vpnListFile, log, clock),
    humanCheck: createHumanCheck(options, secret, assets),
    receipts: new Receipts(secret, cookies),
    preparePage: pagePreparer(assets),
    signInReady: signIn !== undefined,
    signInName: signIn?.name,
  };
  const ballotBox = new BallotBox(services);
  const pollPages = new PollPages(services);
  const rejectedBallots = new RejectedBallotCounter(engine.records);
  const voting = { ...services, ballotBox, pollPages, rejectedBallots };
  if (signIn) addSignInRoutes(server, signIn, services);
  addPollList(server, services);
  addBallotRoutes(server, voting);
  addPollState(server, services);
  addCheckRoutes(server, services);
  const longPolls = addShowRoutes(server, services);
  audience.add(() => longPolls.audience);
  const commentFeed = addCommentRoutes(server, voting);

  const budget = new ByteBudget(engine.records, options.createBytesPerDay, clock);
  const emptyPollMs = daysToMs(options.emptyPollDays);
  addCreateRoutes(server, { ...services, createRequiresKey, budget, emptyPollMs });
  const manageFeed = addManageRoutes(server, { ...services, budget });
  addDeskRoutes(server, { ...services, asksForKey: createRequiresKey, emptyShowDays: options.emptyShowDays });
  const close = () => streams.closeAll();
  return [{ close }, manageFeed, commentFeed, longPolls, rejectedBallots];
}

function createHumanCheck(
  { services: { engine, clock }, turnstile, hcaptcha, proofCost }: VotingOptions,
  secret: ReadSecret,
  assets: PageAssets,
): HumanCheck {
  if (turnstile && hcaptcha) throw new Error('Set up Turnstile or hCaptcha, not both');
  if (turnstile) return new RemoteCheck(TURNSTILE, turnstile, engine.records, clock);
  if (hcaptcha) return new RemoteCheck(HCAPTCHA, hcaptcha, engine.records, clock);
  return new AltchaCheck(secret, proofCost, clock, assets.path('proof-worker.js'));
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
