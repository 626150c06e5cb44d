import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../http/address-group.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import type { Hub } from '../hub/hub.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';
import type { IsOperatorKey, PresentedKey } from '../poll/poll-key.ts';
import { BadMessage } from '../protocol/close-event.ts';
import type { ShowBoard } from '../show/show-board.ts';
import { type LiveQuery, parseLiveQuery } from './live-query.ts';
import type { Roster } from './roster.ts';
import { serveEvents } from './sse/serve-events.ts';
import { acceptWebsocket, refuse, type WebsocketConnection } from './websocket/accept-websocket.ts';
import { tryLean } from './websocket/lean/lean-trial.ts';
import { LeanWebSocket } from './websocket/lean/lean-websocket.ts';
import { serveMany } from './websocket/multiplexed-socket.ts';
import { PlainWebSocket } from './websocket/plain-websocket.ts';
import { servePoll } from './websocket/poll-socket.ts';
import { UpgradeOwner, type WebsocketClass } from './websocket/upgrade-owner.ts';
import type { WebsocketWire } from './websocket/websocket-wire.ts';

/** `lean` leans on private parts of Node and `ws`, where they are as known; `plain` never does. */
export type WebsocketKind = 'lean' | 'plain';

export interface LiveOptions {
  readonly hub: Hub;
  readonly shows: ShowBoard;
  readonly roster: Roster;
  readonly isOperatorKey: IsOperatorKey;
  readonly websockets: WebsocketKind;
}

export async function liveRoutes(app: FastifyInstance, options: LiveOptions): Promise<void> {
  const { hub, shows, roster } = options;
  const WebSocket = await chooseWebsocket(options.websockets, app.log);
  const upgrades = new UpgradeOwner(
    WebSocket,
    (request, response) => app.routing(request, response),
    app.log,
  );
  upgrades.listen(app.server);
  // Whoever comes from then on is refused by readiness.ts, so that a proxy asks another relay at once.
  app.addHook('preClose', done => {
    void roster.close().finally(done);
  });
  const take = (request: FastifyRequest, reply: FastifyReply, serve: (accepted: Accepted) => void) => {
    reply.hijack();
    upgrades.take(request.raw, socket => {
      const accepted = accept(socket, request, roster);
      if (accepted) serve(accepted);
    });
  };

  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/api/poll/:id/live',
    // A HEAD would be answered with a stream that never ends.
    exposeHeadRoute: false,
    // Not async: a promise for each of a crowd that comes back is garbage.
    handler: (request, reply) => {
      if (!upgrades.isUpgrade(request.raw)) return serveEvents(eventsRequest(request), reply, options);
      return take(request, reply, accepted => servePoll(request.params.id, { hub, ...accepted }));
    },
  });

  app.route({
    method: 'GET',
    url: '/api/live',
    exposeHeadRoute: false,
    handler: (request, reply) => {
      if (!upgrades.isUpgrade(request.raw))
        throw new PollError('invalid_request', { message: 'This address is a WebSocket. See PROTOCOL.md.' });
      take(request, reply, accepted => serveMany({ hub, shows, ...accepted }));
    },
  });
}

/** The WebSockets of a relay: those that were asked for, or on a Node or `ws` where they do not work, plain ones. */
async function chooseWebsocket(kind: WebsocketKind, log: FastifyBaseLogger): Promise<WebsocketClass> {
  if (kind === 'plain') return PlainWebSocket;
  const { isLean, faults } = await tryLean(reason => log.warn(`frames go through public streams: ${reason}`));
  if (faults.length > 0)
    log.warn(`${isLean ? 'frames go through public streams' : 'WebSockets are plain'}: ${faults.join('; ')}`);
  return isLean ? LeanWebSocket : PlainWebSocket;
}

interface Accepted {
  readonly connection: WebsocketConnection;
  readonly query: LiveQuery;
  readonly key: PresentedKey | undefined;
}

function accept(socket: WebsocketWire, request: FastifyRequest, roster: Roster): Accepted | undefined {
  const connection = acceptWebsocket(socket, roster, callerAddress(request));
  if (!connection) return undefined;
  const { data: query, error } = parseLiveQuery(request.query);
  if (!query) {
    refuse(
      connection,
      BadMessage,
      undefined,
      `${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}.`,
    );
    return undefined;
  }
  connection.heartbeatMs = (query.heartbeat ?? 0) * 1_000;
  return { connection, query, key: keyOfRequest(request) };
}

function eventsRequest(request: FastifyRequest<{ Params: { id: string } }>) {
  const { data: query, error } = parseLiveQuery(request.query);
  if (!query) throw invalidRequest(error);
  const lastEventId = request.headers['last-event-id'];
  const resumed =
    typeof lastEventId === 'string' && /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : undefined;
  return {
    id: request.params.id,
    key: keyOfRequest(request),
    hz: query.hz,
    since: resumed ?? query.since,
    heartbeatMs: (query.heartbeat ?? 0) * 1_000,
    address: callerAddress(request),
  };
}
