import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { EventStreams } from '../http/event-stream.ts';
import { serverOptions } from '../http/server-limits.ts';
import { addCreateRoutes } from './create/create-route.ts';
import { addRateLimits, LARGE_BODY_BYTES } from './guard/rate-limit.ts';
import { Refusal } from './guard/refusal.ts';
import { sendRefusal } from './guard/refusal-page.ts';
import { guardSameOrigin } from './guard/same-origin.ts';
import { chooseHumanCheck } from './human-check/choose-human-check.ts';
import { addManageRoutes } from './manage/manage-routes.ts';
import { PageAssets } from './page/page-assets.ts';
import { setSecurityHeaders } from './page/security-headers.ts';
import { addBallotRoutes } from './poll/ballot-route.ts';
import { addCommentRoutes } from './poll/comment-routes.ts';
import { addFrontPage } from './poll/poll-list.ts';
import { SignIn } from './sign-in/sign-in.ts';
import { addSignInRoutes } from './sign-in/sign-in-routes.ts';
import { CookieJar } from './voter/cookie-jar.ts';
import { keepSecret } from './voter/voting-secret.ts';
import { VpnList } from './voter/vpn-list.ts';
import type { VotingFront } from './voting-front.ts';
import { RATE_LIMITS, type VotingOptions } from './voting-options.ts';

type Refuse = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/** Builds the voting front end; whoever calls it listens. @throws where a file that it was told of cannot be read */
export async function buildVotingServer(options: VotingOptions): Promise<FastifyInstance> {
  const server = createServer(options, (error, request, reply) => sendRefusal(front, error, request, reply));
  const front = createFront(options, server.log);
  await server.register(cookie);
  await server.register(formbody, { bodyLimit: LARGE_BODY_BYTES });
  await addRateLimits(server);
  server.addHook('onRequest', async (request, reply) => {
    setSecurityHeaders(reply, front.voteUrl);
    guardSameOrigin(request, front.voteUrl);
  });
  server.setErrorHandler((error, request, reply) => sendRefusal(front, error, request, reply));
  server.setNotFoundHandler((request, reply) =>
    sendRefusal(front, new Refusal('page_not_found'), request, reply),
  );

  server.addHook('preClose', async () => front.streams.closeAll());
  front.assets.serve(server);
  addSignInRoutes(server, front);
  addFrontPage(server, front);
  addCreateRoutes(server, front);
  addBallotRoutes(server, front);
  addCommentRoutes(server, front);
  addManageRoutes(server, front);
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

function createFront(options: VotingOptions, log: FastifyBaseLogger): VotingFront {
  const { engine, oidc, vpnListFile, clock = Date.now } = options;
  const voteUrl = options.votePublicUrl.replace(/\/+$/, '');
  const secret = keepSecret(engine);
  const assets = new PageAssets();
  const limits = { ...RATE_LIMITS, ...options.rateLimits };
  return {
    engine,
    log,
    clock,
    secret,
    assets,
    cookies: new CookieJar(voteUrl),
    streams: new EventStreams(limits.streams),
    humanCheck: chooseHumanCheck(options, secret, assets),
    vpnList: vpnListFile === undefined ? undefined : new VpnList(vpnListFile, log, clock),
    signIn: oidc && new SignIn(oidc, voteUrl),
    isOperatorKey: options.isOperatorKey ?? (() => false),
    createRequiresKey: options.createRequiresKey ?? false,
    limits,
    relayUrl: options.publicUrl.replace(/\/+$/, ''),
    voteUrl,
  };
}
