import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import type { ApiOptions, RelaySettings } from '../api/api-options.ts';
import { copyRoutes } from '../api/copy-routes.ts';
import { Creation } from '../api/creation.ts';
import { ProgramStreams } from '../api/event-routes.ts';
import { acceptSloppyJson } from '../api/json-body.ts';
import { listPolls } from '../api/list-polls.ts';
import { logRoutes } from '../api/log-routes.ts';
import { logoRoutes } from '../api/logo-routes.ts';
import { readDefinition } from '../api/poll-definition.ts';
import { pollPicture } from '../api/poll-picture.ts';
import { pollRoutes } from '../api/poll-routes.ts';
import { readResults } from '../api/read-results.ts';
import { guardCrossOrigin, otherMethods, rejectExpiredWrites } from '../api/request-rules.ts';
import { rundownRoutes } from '../api/rundown-routes.ts';
import { showRoutes } from '../api/show-routes.ts';
import { voidRoutes } from '../api/void-routes.ts';
import { voteCodes } from '../api/vote-code.ts';
import { webhookRoutes } from '../api/webhook-routes.ts';
import type { PollLogs } from '../audit/poll-logs.ts';
import { documentRoutes, sendNotFoundPage, wantsPage } from '../document/document-routes.ts';
import { engineChecks } from '../engine/engine-checks.ts';
import { withRehearsal } from '../engine/with-rehearsal.ts';
import { EventWatch } from '../events/event-watch.ts';
import { WebhookDelivery } from '../events/webhook-delivery.ts';
import type { AnnouncedEngine } from '../events/with-events.ts';
import { basePathOf, serveBelow } from '../http/base-path.ts';
import { replyWithError } from '../http/error-replies.ts';
import { daysToMs } from '../http/rate-limit.ts';
import { addReadiness, type StopSteps } from '../http/readiness.ts';
import { countRequests, logRequests, reportFault } from '../http/request-log.ts';
import { limitHandlerTime, limitHeaders, limitPipelining, serverOptions } from '../http/server-limits.ts';
import { ConnectionRegistry } from '../live/connection.ts';
import { Hub } from '../live/hub.ts';
import { eventRoutes, type StreamOptions, websocketRoutes } from '../live/live-routes.ts';
import { ShowFrames } from '../live/session.ts';
import { upgradeConstraint, upgradeOptions } from '../live/upgrade-gate.ts';
import { overlayPages } from '../overlay/overlay-pages.ts';
import { PollError } from '../poll/poll-error.ts';
import { keysOf } from '../show/show.ts';
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
  const hub = new Hub({
    engine: withRehearsal(engine),
    isOperatorKey,
    shows,
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
  const api: ApiOptions & { readonly engine: AnnouncedEngine } = {
    ...options,
    engine,
    readPoll: id => hub.read(id),
    readRecentPoll: id => hub.readRecent(id),
    isOperatorKey,
    counts,
    clock,
    turns,
  };
  const eventStreams = new ProgramStreams(engine, isOperatorKey, clock);
  const stop: StopSteps = {
    disconnect() {
      eventStreams.close();
      return registry.drain(app.log);
    },
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
    showFrames: new ShowFrames(),
    registry,
    isOperatorKey,
    keysOf: reading => keysOf(engine, reading),
  };
  await app.register(rest => addRest(rest, { ...api, eventStreams, logs }, live, stop));
  // Beside the REST context, whose hooks upgrades do not need.
  await app.register(websocketRoutes, { ...live, directWrites: options.directWrites });
  return app;
}

async function addRest(
  app: FastifyInstance,
  api: ApiOptions & {
    readonly engine: AnnouncedEngine;
    readonly eventStreams: ProgramStreams;
    readonly logs: PollLogs;
  },
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
  acceptSloppyJson(app);
  await app.register(eventRoutes, live);
  const creation = new Creation(api);
  readResults(app, api);
  readDefinition(app, api);
  logRoutes(app, api, api.logs);
  pollPicture(app, api);
  listPolls(app, api, engine);
  api.eventStreams.serve(app);
  await pollRoutes(app, api, creation);
  await showRoutes(app, api, creation);
  rundownRoutes(app, api);
  await copyRoutes(app, api, creation);
  await logoRoutes(app, api, creation);
  await voidRoutes(app, api, creation);
  await webhookRoutes(app, api, creation);
  voteCodes(app, api);
  await app.register(overlayPages, { publicUrl: relayUrl, voteUrl, turns: api.turns });
  await app.register(documentRoutes, { relayUrl, voteUrl });
  others.reject();
  app.setNotFoundHandler(sendRouteNotFound);
}

async function sendRouteNotFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!wantsPage(request)) throw new PollError('route_not_found');
  return sendNotFoundPage(reply);
}
