import { parse } from 'node:querystring';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { engineChecks } from '../engine/engine-checks.ts';
import { serveSiteFiles } from '../http/assets.ts';
import { EventStreams } from '../http/event-stream.ts';
import { ByteBudget, daysToMs, SharedCounts } from '../http/rate-limit.ts';
import { addReadiness, type StopSteps } from '../http/readiness.ts';
import { countRequests, logRequests } from '../http/request-log.ts';
import { limitHandlerTime, limitHeaders, limitPipelining, serverOptions } from '../http/server-limits.ts';
import { KeyRing } from '../operator/key-ring.ts';
import { REHEARSAL_ID } from '../poll/rehearsal.ts';
import { ShowBoard } from '../show/show-board.ts';
import { LANGUAGE_COOKIE, requestedLanguage } from '../web/phrases.ts';
import { addCreateRoutes } from './create/create-routes.ts';
import { addDeskRoutes } from './desk/desk-pages.ts';
import { Admission } from './guard/admission.ts';
import { BusyReplies } from './guard/busy-page.ts';
import { CookieGate } from './guard/cookie-gate.ts';
import type { HumanCheck } from './guard/human-check.ts';
import { KnownPolls } from './guard/known-polls.ts';
import { addRateLimits, FIXED_LIMITS, LARGE_BODY_BYTES, type VotingRateLimits } from './guard/rate-limit.ts';
import { Rejection } from './guard/rejection.ts';
import { sendRefusal } from './guard/rejection-page.ts';
import { guardSameOrigin } from './guard/same-origin.ts';
import { SharedAddressWatch } from './guard/shared-address.ts';
import { AltchaCheck } from './human-check/altcha-check.ts';
import { HCAPTCHA, RemoteCheck, TURNSTILE } from './human-check/remote-check.ts';
import { addManageRoutes } from './manage/manage-routes.ts';
import { pagePreparer, pageSender, type SendPage } from './page/page.ts';
import { PageAssets } from './page/page-assets.ts';
import { securityHeaders } from './page/security-headers.ts';
import { addShowRoutes } from './show/show-routes.ts';
import { SignIn } from './sign-in/sign-in.ts';
import { addSignInRoutes } from './sign-in/sign-in-routes.ts';
import { BallotBox } from './vote/ballot-box.ts';
import { addBallotRoutes } from './vote/ballot-routes.ts';
import { addCommentRoutes } from './vote/comment-routes.ts';
import { addPollList } from './vote/poll-list.ts';
import { PollPages } from './vote/poll-pages.ts';
import { addPollState } from './vote/poll-state.ts';
import { Receipts } from './vote/receipt.ts';
import { CookieJar } from './voter/cookie-jar.ts';
import { Viewers } from './voter/viewer.ts';
import { keepSecret, type ReadSecret } from './voter/voting-secret.ts';
import { VpnList } from './voter/vpn-list.ts';
import type { VotingOptions } from './voting-options.ts';

/** What all rooms stand on. */
interface Ground {
  readonly assets: PageAssets;
  readonly sendPage: SendPage;
  readonly secret: ReadSecret;
  readonly counts: SharedCounts;
  readonly operators: KeyRing;
  readonly limits: VotingRateLimits;
  readonly cookies: CookieJar;
}

/** Where the pages of the simulated poll would be, if people voted on it. */
const REHEARSAL_PATH = new RegExp(`^/${REHEARSAL_ID}(-[0-9A-Za-z]{12})?(?![^/?])`);

/** What `?lang=` asked for stays with the voter through forms and redirects. What a proxy may keep carries no cookie. */
function keepLanguage(request: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  const language = requestedLanguage(request);
  const { name, maxAgeSeconds: maxAge } = LANGUAGE_COOKIE;
  if (language && !String(reply.getHeader('cache-control')).includes('public'))
    reply.setCookie(name, language, { path: '/', maxAge, httpOnly: true, sameSite: 'lax', secure });
}

/** However many fields it has: what is too much is told by its size. */
function readForm(text: string): Record<string, unknown> {
  return parse(text, '&', '=', { maxKeys: 0 });
}

type Refuse = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/** Builds the voting front end; whoever calls it listens. @throws where a file that it was told of cannot be read */
export async function buildVotingServer(options: VotingOptions): Promise<FastifyInstance> {
  const voteUrl = withoutSlash(options.votePublicUrl);
  const assets = new PageAssets();
  const sendPage = pageSender(assets);
  const refuse: Refuse = (error, request, reply) => sendRefusal(sendPage, error, request, reply);
  const server = createServer(options, refuse);
  const { origin, protocol } = new URL(voteUrl);
  // Before the plugin's own hook, which writes the cookies.
  server.addHook('onSend', (request, reply, payload, done) => {
    keepLanguage(request, reply, protocol === 'https:');
    done(null, payload);
  });
  await server.register(cookie);
  // Node's own parser takes half as long for a solved check, which is mostly escapes, as the plugin's.
  await server.register(formbody, { bodyLimit: LARGE_BODY_BYTES, parser: readForm });
  const { records } = options.engine;
  const secret = keepSecret(records);
  const counts = new SharedCounts(records, options.clock ?? Date.now);
  if (options.countsRequests) countRequests(server, 'voting');
  logRequests(server);
  limitPipelining(server);
  limitHeaders(server);
  limitHandlerTime(server, ['GET', 'POST']);
  const headers = securityHeaders(voteUrl);
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers);
    guardSameOrigin(request, origin);
    done();
  });
  server.setErrorHandler(refuse);
  server.setNotFoundHandler((request, reply) => {
    const code = REHEARSAL_PATH.test(request.url) ? 'rehearsal' : 'page_not_found';
    refuse(new Rejection(code), request, reply);
  });
  addReadiness(server, 'voting', engineChecks(options.engine, true), {
    disconnect: () => rooms.disconnect(),
    release: () => rooms.release(),
  });
  assets.serve(server);
  // What is private says so itself, and is read to say it.
  serveSiteFiles(server, []);
  const { engine, operatorKeys, clock = Date.now } = options;
  const operators = new KeyRing({ engine, configured: operatorKeys, clock });
  await operators.ready;
  const limits = { ...FIXED_LIMITS, ...options.rateLimits };
  const cookies = new CookieJar(voteUrl);
  const rooms = addRooms(server, options, { assets, sendPage, secret, counts, operators, limits, cookies });
  const { trustProxy } = options;
  const gate = new CookieGate({ secret, cookies, trustProxy, newcomers: limits.newcomers });
  Admission.guard(server.server, { gate, busy: new BusyReplies(voteUrl), log: server.log });
  return server;
}

/** @param refuse answers what never reaches a route, like a path that is no UTF-8 */
function createServer(options: VotingOptions, refuse: Refuse): FastifyInstance {
  return Fastify({
    ...serverOptions(options),
    bodyLimit: LARGE_BODY_BYTES,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 64 },
    frameworkErrors: (error, request, reply) => {
      refuse(error, request as FastifyRequest, reply as FastifyReply);
    },
  });
}

/** Builds what the rooms share, once, and gives each of them what it uses. Returns how they stop. */
function addRooms(
  server: FastifyInstance,
  options: VotingOptions,
  { assets, sendPage, secret, counts, operators, limits, cookies }: Ground,
): StopSteps {
  const { engine, oidc, vpnListFile, clock = Date.now } = options;
  const { isOperatorKey } = operators;
  const { polls } = engine;
  const { log } = server;
  const urls = { voteUrl: withoutSlash(options.votePublicUrl), relayUrl: withoutSlash(options.publicUrl) };
  const { relayUrl } = urls;
  const streams = new EventStreams(limits.streams);
  const shows = new ShowBoard(engine);
  const viewers = new Viewers(secret, cookies, clock);
  addRateLimits(server, counts, viewers);
  const receipts = new Receipts(secret, cookies);
  const vpnList = vpnListFile === undefined ? undefined : new VpnList(vpnListFile, log, clock);
  const humanCheck = chooseHumanCheck(options, secret, assets);
  const signIn = oidc && new SignIn(oidc, urls.voteUrl);
  const signInReady = signIn !== undefined;
  const sharedAddress = new SharedAddressWatch(log);
  const casting = { polls, secret, viewers, humanCheck, sharedAddress };
  const ballotBox = new BallotBox({ ...casting, vpnList, signInReady });
  const { comments } = engine;
  const signInName = signIn?.name;
  const shown = { comments, shows, secret, viewers, receipts, humanCheck, vpnList, signInName };
  const pollPages = new PollPages({ ...shown, relayUrl, preparePage: pagePreparer(assets) });

  const createRequiresKey = options.createRequiresKey;
  const budget = new ByteBudget(engine.records, options.createBytesPerDay, clock);
  const emptyPollMs = daysToMs(options.emptyPollDays);
  const creation = {
    engine,
    secret,
    viewers,
    isOperatorKey,
    createRequiresKey,
    signInReady,
    budget,
    emptyPollMs,
  };
  if (signIn) addSignInRoutes(server, { signIn, secret, cookies, viewers, clock, limits, sendPage });
  addPollList(server, { polls, limits, sendPage });
  addCreateRoutes(server, { ...creation, urls, limits, sendPage });
  const voting = { viewers, humanCheck, ballotBox, receipts, pollPages };
  const knownPolls = new KnownPolls(polls);
  addBallotRoutes(server, { polls: knownPolls, ...voting, limits, sendPage });
  const showWaits = addShowRoutes(server, {
    engine,
    shows,
    findPoll: id => knownPolls.find(id),
    viewers,
    urls,
    limits,
    sendPage,
  });
  addPollState(server, knownPolls, clock);
  const commenting = { engine, polls: knownPolls, receipts, secret, viewers };
  const commentFeed = addCommentRoutes(server, { ...commenting, pollPages, streams, limits, log });
  const managing = { engine, polls: knownPolls, shows, viewers, secret, cookies, operators, streams, clock };
  const manageFeed = addManageRoutes(server, { ...managing, ...urls, limits, sendPage });
  const { emptyShowDays } = options;
  addDeskRoutes(server, { urls, asksForKey: createRequiresKey, emptyShowDays, limits, sendPage });
  return {
    disconnect() {
      streams.closeAll();
      for (const part of [manageFeed, commentFeed, showWaits, shows]) part.close();
    },
    release() {
      for (const part of [operators, counts]) part.close();
    },
  };
}

/** The only switch on the kind of check. */
function chooseHumanCheck(options: VotingOptions, secret: ReadSecret, assets: PageAssets): HumanCheck {
  const { engine, turnstile, hcaptcha, proofCost, clock = Date.now } = options;
  if (turnstile && hcaptcha) throw new Error('Set up Turnstile or hCaptcha, not both');
  if (turnstile) return new RemoteCheck(TURNSTILE, turnstile, engine.records, clock);
  if (hcaptcha) return new RemoteCheck(HCAPTCHA, hcaptcha, engine.records, clock);
  return new AltchaCheck(secret, proofCost, clock, assets.path('proof-worker.js'));
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
