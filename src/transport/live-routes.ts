import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { addressGroup } from '../http/address-group.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { refuseGarbage } from '../http/refuse-garbage.ts';
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
import { LeanWebSocket } from './websocket/lean/lean-websocket.ts';
import { serveMany } from './websocket/multiplexed-socket.ts';
import { servePoll } from './websocket/poll-socket.ts';

export interface LiveOptions {
  readonly hub: Hub;
  readonly shows: ShowBoard;
  readonly roster: Roster;
  readonly isOperatorKey: IsOperatorKey;
}

/** The roster tracks the connections, and nothing is ever compressed: a compressor would cost 200 KB a connection. */
const SERVER_OPTIONS = {
  perMessageDeflate: false,
  clientTracking: false,
  // The types ask for the whole module where `ws` itself needs a class that extends its own.
  WebSocket: LeanWebSocket as never,
};

export async function liveRoutes(app: FastifyInstance, options: LiveOptions): Promise<void> {
  const { hub, shows, roster } = options;
  await app.register(websocket, {
    options: SERVER_OPTIONS,
    preClose: done => void roster.close().finally(done),
  });
  app.websocketServer.on('wsClientError', refuseGarbage);

  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/api/poll/:id/live',
    // A HEAD would be answered with a stream that never ends.
    exposeHeadRoute: false,
    handler: (request, reply) => serveEvents(eventsRequest(request), reply, options),
    wsHandler: (socket, request) => {
      const accepted = accept(socket, request, roster);
      if (accepted) servePoll(request.params.id, { hub, ...accepted });
    },
  });

  app.route({
    method: 'GET',
    url: '/api/live',
    exposeHeadRoute: false,
    handler: async () => {
      throw new PollError('invalid_request', { message: 'This address is a WebSocket. See PROTOCOL.md.' });
    },
    wsHandler: (socket, request) => {
      const accepted = accept(socket, request, roster);
      if (accepted) serveMany({ hub, shows, ...accepted });
    },
  });
}

function accept(
  socket: WebSocket,
  request: FastifyRequest,
  roster: Roster,
): { connection: WebsocketConnection; query: LiveQuery; key: PresentedKey | undefined } | undefined {
  const connection = acceptWebsocket(socket as LeanWebSocket, roster, addressGroup(request.ip));
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
    address: addressGroup(request.ip),
  };
}
