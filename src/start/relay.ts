import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import type { ApiOptions, RelaySettings } from '../api/api-options.ts';
import { guardCrossOrigin, otherMethods, rejectExpiredWrites } from '../api/request-rules.ts';
import { restRoutes } from '../api/rest-routes.ts';
import { documentRoutes, sendNotFoundPage, wantsPage } from '../document/document-routes.ts';
import { engineChecks } from '../engine/engine-checks.ts';
import { withRehearsal } from '../engine/with-rehearsal.ts';
import { EventWatch } from '../events/event-watch.ts';
import { WebhookDelivery } from '../events/webhook-delivery.ts';
import { basePathOf, serveBelow } from '../http/base-path.ts';
import { replyWithError } from '../http/error-replies.ts';
import { daysToMs } from '../http/rate-limit.ts';
import { addReadiness, type StopSteps } from '../http/readiness.ts';
import { countRequests, logRequests, reportFault } from '../http/request-log.ts';
import { limitHandlerTime, limitHeaders, limitPipelining, serverOptions } from '../http/server-limits.ts';
import { ConnectionRegistry } from '../live/connection-registry.ts';
import type { StreamOptions } from '../live/event-stream.ts';
import { Hub } from '../live/hub.ts';
import { eventRoutes, websocketRoutes } from '../live/live-routes.ts';
import type { ShowKeys } from '../live/poll-channel.ts';
import { upgradeConstraint, upgradeOptions } from '../live/upgrade-gate.ts';
import { overlayPages } from '../overlay/overlay-pages.ts';
import { PollError } from '../poll/poll-error.ts';
import { findOwnerKey, keysOf } from '../show/show.ts';
import { sweepShows } from '../show/shows.ts';
import type { Services } from './services.ts';

export interface RelayOptions extends RelaySettings {
  readonly services: Services;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds for which a connection may stay blocked before it is closed; default 30,000. */
  readonly slowSubscriberMs?: number | undefined;
}

const BODY_LIMIT_BYTES = 128 * 1024;
const ALWAYS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/** Builds the relay: REST API and live stream. Does not listen; call `listen()` on the result. `close()` drains connections first. */
export async function buildRelay(options: RelayOptions): Promise<FastifyInstance> {
  const { engine, operators, shows, logs, turns, counts, clock } = options.services;
  const shared = serverOptions(options);
  const app = Fastify({
    ...shared,
    http: { ...shared.http, ...upgradeOptions() },
    bodyLimit: BODY_LIMIT_BYTES,
    // Added here, because a constraint added later rebuilds the router.
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 100,
      constraints: { upgrade: upgradeConstraint },
    },
    frameworkErrors(error, request, reply) {
      // No hook runs for a malformed URL.
      reply.headers(ALWAYS).header('access-control-allow-origin', '*');
      replyWithError(error, request, reply);
    },
  });
  serveBelow(app, basePathOf(options.relayUrl));
  const { isOperatorKey } = operators;
  const showKeys: ShowKeys = {
    findKey: owner => findOwnerKey(engine, owner),
    followKey: (owner, listener) => shows.followKey(owner, listener),
  };
  const hub = new Hub({
    engine: withRehearsal(engine),
    isOperatorKey,
    showKeys,
    onError: (error, place) => reportFault(app, place, error),
  });
  operators.onChange(() => hub.reauthorize());
  options.services.audience.add(() => hub.audience);
  const registry = new ConnectionRegistry(options.maxConnectionsPerAddress, options.slowSubscriberMs, error =>
    reportFault(app, 'connection', error),
  );
  const emptyShowMs = daysToMs(options.emptyShowDays);
  const endSweeps = emptyShowMs === undefined ? () => {} : sweepShows(engine, emptyShowMs);
  const events = new EventWatch({
    engine,
    delivery: new WebhookDelivery({
      engine,
      log: options.logger,
      allowPrivate: options.webhookPrivateAddresses,
      clock,
    }),
    onError: error => reportFault(app, 'events', error as Error),
  });
  const api: ApiOptions = {
    ...options,
    engine,
    logs,
    readPoll: id => hub.read(id),
    readRecentPoll: id => hub.readRecent(id),
    isOperatorKey,
    counts,
    clock,
    turns,
  };
  const stop: StopSteps = {
    disconnect: () => registry.drain(app.log),
    async release() {
      endSweeps();
      await events.close();
      hub.close();
    },
  };

  app.setErrorHandler(replyWithError);
  limitPipelining(app);
  limitHeaders(app);
  const live: StreamOptions = {
    hub,
    shows,
    registry,
    isOperatorKey,
    keysOf: reading => keysOf(engine, reading),
  };
  await app.register(rest => addRest(rest, api, live, stop));
  // Beside the REST context, whose hooks upgrades do not need.
  await app.register(websocketRoutes, { ...live, directWrites: options.directWrites });
  return app;
}

async function addRest(
  app: FastifyInstance,
  api: ApiOptions,
  live: StreamOptions,
  stop: StopSteps,
): Promise<void> {
  const { engine, corsOrigins, relayUrl, voteUrl, countsRequests } = api;
  if (countsRequests) countRequests(app, 'relay');
  logRequests(app);
  const others = otherMethods(app);
  limitHandlerTime(app, ['POST', 'PUT', 'PATCH', 'DELETE']);
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(ALWAYS);
    done();
  });
  await guardCrossOrigin(app, corsOrigins, [relayUrl, voteUrl]);
  app.addHook('onRequest', (request, reply, done) => {
    // Reject before the body is parsed.
    if (!request.is404) return done();
    others.rejectUnknown(request, reply);
    sendRouteNotFound(request, reply).then(undefined, done);
  });
  rejectExpiredWrites(app);
  addReadiness(app, 'relay', engineChecks(engine, false), stop);
  await app.register(eventRoutes, live);
  await app.register(restRoutes, api);
  await app.register(overlayPages, { publicUrl: relayUrl, voteUrl, turns: api.turns });
  await app.register(documentRoutes, { relayUrl, voteUrl });
  others.reject();
  app.setNotFoundHandler(sendRouteNotFound);
}

async function sendRouteNotFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!wantsPage(request)) throw new PollError('route_not_found');
  return sendNotFoundPage(reply);
}
