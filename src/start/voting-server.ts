import { parse } from 'node:querystring';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import plugin from 'fastify-plugin';
import { checkRoutes } from '../audience/check/check-routes.ts';
import { presentRoutes } from '../audience/present/present-page.ts';
import { showRoutes } from '../audience/show/show-pages.ts';
import { SignIn, signInRoutes } from '../audience/sign-in/sign-in.ts';
import { BallotBox } from '../audience/vote/ballot-box.ts';
import { ballotRoutes } from '../audience/vote/ballot-routes.ts';
import { commentRoutes } from '../audience/vote/comments.ts';
import { homeRoutes } from '../audience/vote/home-page.ts';
import { joinRoutes } from '../audience/vote/join-page.ts';
import { PollPages } from '../audience/vote/poll-pages.ts';
import { pollStateRoute } from '../audience/vote/poll-state.ts';
import { voterFeedRoute } from '../audience/vote/voter-feed.ts';
import { createRoutes } from '../creator/create/create-routes.ts';
import { deskRoutes } from '../creator/desk/desk-pages.ts';
import { manageRoutes } from '../creator/manage/manage-routes.ts';
import { engineChecks } from '../engine/engine-checks.ts';
import { RejectedBallotCounter } from '../engine/rejected-ballots.ts';
import { serveSiteFiles } from '../http/assets.ts';
import { basePathOf } from '../http/base-path.ts';
import { replyWithError } from '../http/error-replies.ts';
import { EventStreams } from '../http/event-stream.ts';
import { isLoopback } from '../http/loopback.ts';
import { ByteBudget, daysToMs } from '../http/rate-limit.ts';
import { readiness } from '../http/readiness.ts';
import { serverOptions } from '../http/server-limits.ts';
import { requestRules, serverRules } from '../http/server-rules.ts';
import { LANGUAGE_COOKIE, requestedLanguage } from '../locales/phrases.ts';
import { Admission } from '../pages/guard/admission.ts';
import { BusyReplies } from '../pages/guard/busy-page.ts';
import { KnownPolls } from '../pages/guard/known-polls.ts';
import { CookieGate, FIXED_LIMITS, LARGE_BODY_BYTES, rateLimits } from '../pages/guard/rate-limit.ts';
import { Rejection, sendRejection } from '../pages/guard/rejection.ts';
import { guardSameOrigin } from '../pages/guard/same-origin.ts';
import { addressIn } from '../pages/guard/shared-link.ts';
import { altchaCheck } from '../pages/human-check/altcha-check.ts';
import type { HumanCheck } from '../pages/human-check/human-check.ts';
import { HCAPTCHA, remoteCheck, TURNSTILE } from '../pages/human-check/remote-check.ts';
import { PageAssets, pagePreparer, pageSender } from '../pages/page/page.ts';
import { securityHeaders } from '../pages/page/security-headers.ts';
import type { PageDependencies } from '../pages/services/page-dependencies.ts';
import { CookieJar } from '../pages/voter/cookie-jar.ts';
import { Viewers } from '../pages/voter/viewer.ts';
import { lazySecret, type ReadSecret } from '../pages/voter/voting-secret.ts';
import { openVpnList } from '../pages/voter/vpn-list.ts';
import { PollError } from '../poll/poll-error.ts';
import { REHEARSAL_ID } from '../poll/rehearsal.ts';
import type { Chat } from './chat.ts';
import type { Settings } from './config.ts';
import type { Services } from './services.ts';

export interface VotingOptions extends Settings {
  readonly services: Omit<Services, 'close'>;
  readonly logger?: FastifyBaseLogger | undefined;
  /** Votes from chat in this process; undefined without any. */
  readonly votesFromChat?: Omit<Chat, 'close'> | undefined;
}

const ASSETS = '/assets/';
/** What programs ask of a relay. */
const API = /^\/api(?![^/?])/;
/** So that a phone takes 2 s at most. */
const PLAIN_HTTP_SHARE = 3;
/** Paths of the simulated poll of a rehearsal, which has no pages. */
const REHEARSAL_PATH = new RegExp(`^/${REHEARSAL_ID}(-[0-9A-Za-z]{12})?(?![^/?])`);

type SendError = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Builds the voting front end. Does not listen; call `listen()` on the result.
 *
 * @throws if a file named in the settings cannot be read
 */
export async function buildVotingServer(options: VotingOptions): Promise<FastifyInstance> {
  const { trustProxy, voteUrl } = options;
  const { engine, counts, clock } = options.services;
  const assets = new PageAssets();
  const sendPage = pageSender(assets);
  const sendError: SendError = (error, request, reply) => sendRejection(sendPage, error, request, reply);
  const secret = lazySecret(engine.records);
  const cookies = new CookieJar(voteUrl);
  const viewers = new Viewers(secret, cookies, clock);
  const limits = { ...FIXED_LIMITS, ...options.rateLimits };

  const server = createServer(options, sendError);
  server.setErrorHandler(sendError);
  // The rules first, because they hold for what is registered after them.
  await server.register(serverRules, { url: voteUrl });
  await server.register(languageCookie, { isSecure: voteUrl.startsWith('https:') });
  await server.register(cookie);
  // Node's parser takes half as long for a solved check as the plugin's. The body limit bounds the number of fields.
  const parser = (text: string) => parse(text, '&', '=', { maxKeys: 0 });
  await server.register(formbody, { bodyLimit: LARGE_BODY_BYTES, parser });
  if (options.votesFromChat?.routes) await server.register(options.votesFromChat.routes);
  await server.register(pageRules, { relayUrl: options.relayUrl, voteUrl, sendError });
  await server.register(requestRules, {
    server: 'voting',
    countsRequests: options.metricsPort !== undefined,
    timedMethods: ['GET', 'POST'],
  });
  const checks = {
    ...engineChecks(engine, true),
    ...(options.votesFromChat && { chat: options.votesFromChat.check }),
  };
  await server.register(readiness, { server: 'voting', checks });
  await server.register(async files => {
    assets.serve(files);
    // robots.txt excludes no path: crawlers must read the `noindex` of private pages.
    serveSiteFiles(files, []);
  });
  await server.register(rateLimits, { counts, viewers, limits });
  await registerPages(server, options, { assets, sendPage, secret, cookies, viewers, limits });
  const gate = new CookieGate({ secret, cookies, trustProxy, newcomers: limits.newcomers });
  Admission.install(server.server, { gate, busy: new BusyReplies(voteUrl), log: server.log });
  return server;
}

interface PageHeaderOptions extends Pick<Settings, 'relayUrl' | 'voteUrl'> {
  readonly sendError: SendError;
}

/** Headers, foreign origins and unknown pages. */
const pageRules = plugin(async (server: FastifyInstance, options: PageHeaderOptions) => {
  const { relayUrl, voteUrl, sendError } = options;
  const { origin } = new URL(voteUrl);
  const headers = securityHeaders(voteUrl);
  const fileHeaders = securityHeaders(voteUrl, true);
  const wrongPort = new PollError('route_not_found', {
    message: `This is the voting front end. The API is at ${relayUrl}/api, and explained at ${relayUrl}/docs.`,
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (API.test(request.url)) {
      replyWithError(wrongPort, request, reply.header('access-control-allow-origin', '*'));
      return;
    }
    reply.headers(request.url.startsWith(ASSETS) ? fileHeaders : headers);
    if (!request.routeOptions.config.isSigned) guardSameOrigin(request, origin);
    const address = request.method === 'GET' ? addressIn(request.url) : undefined;
    if (address === undefined) done();
    else reply.redirect(address, 302);
  });
  server.setNotFoundHandler((request, reply) => {
    const code = REHEARSAL_PATH.test(request.url) ? 'rehearsal' : 'page_not_found';
    sendError(new Rejection(code), request, reply);
  });
});

/** @param sendError also for requests that reach no route, like a path that is not UTF-8 */
function createServer(options: VotingOptions, sendError: SendError): FastifyInstance {
  return Fastify({
    ...serverOptions(options),
    bodyLimit: LARGE_BODY_BYTES,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 64 },
    frameworkErrors: (error, request, reply) => {
      const address = addressIn(request.url);
      // Hooks, which would add the base path, do not run here.
      if (address !== undefined) void reply.redirect(basePathOf(options.voteUrl) + address, 302);
      else sendError(error, request as FastifyRequest, reply as FastifyReply);
    },
  });
}

/**
 * Keeps the language of `?lang=` through forms and redirects. Replies for shared caches get no
 * cookie. Its hook is before that of the cookie plugin, which writes the cookies.
 */
const languageCookie = plugin(
  async (server: FastifyInstance, { isSecure }: { readonly isSecure: boolean }) => {
    const { name, maxAgeSeconds: maxAge } = LANGUAGE_COOKIE;
    server.addHook('onSend', (request, reply, payload, done) => {
      const language = requestedLanguage(request);
      if (language && !String(reply.getHeader('cache-control')).includes('public'))
        reply.setCookie(name, language, {
          path: request.server.basePath || '/',
          maxAge,
          httpOnly: true,
          sameSite: 'lax',
          secure: isSecure,
        });
      done(null, payload);
    });
  },
);

interface ServerDependencies
  extends Pick<PageDependencies, 'sendPage' | 'secret' | 'cookies' | 'viewers' | 'limits'> {
  readonly assets: PageAssets;
}

/** All pages. */
async function registerPages(
  server: FastifyInstance,
  options: VotingOptions,
  dependencies: ServerDependencies,
): Promise<void> {
  const { oidc, vpnListFile, createRequiresKey, emptyShowDays, relayUrl, voteUrl } = options;
  const { engine, clock } = options.services;
  const { assets, secret, limits } = dependencies;
  const { log } = server;
  const signIn = oidc && new SignIn(oidc, voteUrl);
  const streams = new EventStreams(limits.streams);
  const services = {
    ...options.services,
    ...dependencies,
    voteUrl,
    relayUrl,
    log,
    streams,
    polls: new KnownPolls(engine),
    createRequiresKey,
    emptyPollMs: daysToMs(options.emptyPollDays),
    emptyShowDays,
    isVpn: vpnListFile === undefined ? async () => false : openVpnList(vpnListFile, log, clock),
    humanCheck: createHumanCheck(options, secret, assets),
    preparePage: pagePreparer(assets),
    budget: new ByteBudget(engine.records, options.createBytesPerDay, clock),
    signInReady: signIn !== undefined,
    signInName: signIn?.name,
  };
  const ballotBox = new BallotBox(services);
  const pollPages = new PollPages(services);
  const rejectedBallots = new RejectedBallotCounter(engine.records);
  const voting = { ...services, ballotBox, pollPages, rejectedBallots };
  server.addHook('preClose', async () => {
    streams.closeAll();
    rejectedBallots.close();
  });
  if (signIn) await server.register(signInRoutes, { ...services, signIn });
  await server.register(ballotRoutes, voting);
  await server.register(commentRoutes, voting);
  const others: FastifyPluginAsync<typeof services>[] = [
    homeRoutes,
    joinRoutes,
    pollStateRoute,
    voterFeedRoute,
    checkRoutes,
    showRoutes,
    presentRoutes,
    manageRoutes,
    createRoutes,
    deskRoutes,
  ];
  for (const routes of others) await server.register(routes, services);
}

function createHumanCheck(
  { services: { engine, clock }, turnstile, hcaptcha, proofCost, voteUrl }: VotingOptions,
  secret: ReadSecret,
  assets: PageAssets,
): HumanCheck {
  if (turnstile && hcaptcha) throw new Error('Set up Turnstile or hCaptcha, not both');
  if (turnstile) return remoteCheck(TURNSTILE, turnstile, engine.records, clock);
  if (hcaptcha) return remoteCheck(HCAPTCHA, hcaptcha, engine.records, clock);
  // On plain HTTP browsers have no cryptography, and search in script, twelve times slower.
  const cost =
    voteUrl.startsWith('https:') || isLoopback(new URL(voteUrl).hostname)
      ? proofCost
      : proofCost / PLAIN_HTTP_SHARE;
  return altchaCheck(secret, cost, clock, assets.path('proof-worker.js'));
}
