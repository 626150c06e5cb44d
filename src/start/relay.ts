import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { ApiOptions, RelaySettings } from '../api/api-options.ts';
import { type RelayRules, relayRules } from '../api/request-rules.ts';
import { restRoutes } from '../api/rest-routes.ts';
import { documentRoutes, sendNotFoundPage, wantsPage } from '../document/document-routes.ts';
import { engineChecks } from '../engine/engine-checks.ts';
import { imageReads } from '../engine/image-reads.ts';
import { withRehearsal } from '../engine/with-rehearsal.ts';
import { watchEvents } from '../events/event-watch.ts';
import { WebhookDelivery } from '../events/webhook-delivery.ts';
import { replyWithError } from '../http/error-replies.ts';
import { daysToMs } from '../http/rate-limit.ts';
import { readiness, type StopSteps } from '../http/readiness.ts';
import { reportFault } from '../http/request-log.ts';
import { serverOptions } from '../http/server-limits.ts';
import { requestRules, serverRules } from '../http/server-rules.ts';
import { ConnectionRegistry } from '../live/connection-registry.ts';
import { Hub } from '../live/hub.ts';
import { eventRoutes, type StreamOptions, websocketRoutes } from '../live/live-routes.ts';
import { upgradeConstraint, upgradeOptions } from '../live/upgrade-gate.ts';
import { overlayPages } from '../overlay/overlay-pages.ts';
import { PollError } from '../poll/poll-error.ts';
import { keysOf } from '../show/show.ts';
import { ButtonBoard } from '../show/show-buttons.ts';
import { sweepShows } from '../show/shows.ts';
import { Stills } from '../still/stills.ts';
import type { Services } from './services.ts';

export interface RelayOptions extends RelaySettings {
  readonly services: Services;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds for which a connection may stay blocked before it is closed; default 30,000. */
  readonly slowSubscriberMs?: number | undefined;
  /** Milliseconds for which a change of a show settles; default 1,000. */
  readonly settleMs?: number | undefined;
}

const BODY_LIMIT_BYTES = 128 * 1024;
const ALWAYS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/**
 * Builds the relay: REST API and live stream. Does not listen; call `listen()` on the result.
 * `close()` drains connections first.
 */
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
  const endSweeps = sweepShows(engine, emptyShowMs);
  const delivery = new WebhookDelivery({
    engine,
    log: options.logger,
    allowPrivate: options.webhookPrivateAddresses,
    clock,
  });
  const events = watchEvents(engine, delivery, error => reportFault(app, 'events', error));
  const stills = new Stills();
  app.addHook('onClose', () => stills.close());
  const api: ApiOptions = {
    ...options,
    engine,
    logs,
    readPoll: id => hub.read(id),
    readRecentPoll: id => hub.readRecent(id),
    findPollImage: imageReads(engine),
    stills,
    isOperatorKey,
    counts,
    clock,
    turns,
  };
  const buttons = new ButtonBoard(api, shows);
  const stop: StopSteps = {
    disconnect: () => registry.drain(app.log),
    async release() {
      endSweeps();
      await events.close();
      buttons.close();
      hub.close();
    },
  };

  app.setErrorHandler(replyWithError);
  await app.register(serverRules, { url: options.relayUrl });
  const live: StreamOptions = {
    hub,
    shows,
    buttons,
    registry,
    isOperatorKey,
    keysOf: reading => keysOf(engine, reading),
  };
  await app.register(httpRoutes, { api, live, stop });
  // Beside the routes by HTTP, whose rules upgrades do not need.
  await app.register(websocketRoutes, { ...live, directWrites: options.directWrites });
  return app;
}

interface HttpOptions {
  readonly api: ApiOptions;
  readonly live: StreamOptions;
  readonly stop: StopSteps;
}

/** The rules first, because they hold for what is registered after them. */
async function httpRoutes(app: FastifyInstance, { api, live, stop }: HttpOptions): Promise<void> {
  const { engine, corsOrigins, relayUrl, voteUrl, metricsPort, turns } = api;
  await app.register(requestRules, {
    server: 'relay',
    countsRequests: metricsPort !== undefined,
    timedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  });
  await app.register(relayRules, {
    corsOrigins,
    ownUrls: [relayUrl, voteUrl],
    headers: ALWAYS,
    sendNotFound: routeNotFound(relayUrl, voteUrl),
  });
  await app.register(readiness, { server: 'relay', checks: engineChecks(engine, false), stop });
  await app.register(eventRoutes, live);
  await app.register(restRoutes, api);
  await app.register(overlayPages, { relayUrl, voteUrl, turns });
  await app.register(documentRoutes, { relayUrl, voteUrl });
}

/** `/vote`, `/votes` and `/ballot`, wherever they are. */
const VOTE = /\/(?:votes?|ballots?)(?![^/?])/;

function routeNotFound(relayUrl: string, voteUrl: string): RelayRules['sendNotFound'] {
  return async (request, reply) => {
    if (wantsPage(request)) return sendNotFoundPage(reply, { relayUrl, voteUrl });
    const message = VOTE.test(request.url)
      ? `No request casts a vote: people vote on the pages of ${voteUrl}. The API is explained at ${relayUrl}/docs.`
      : `There is nothing at this URL. The API is explained at ${relayUrl}/docs.`;
    throw new PollError('route_not_found', { message });
  };
}
