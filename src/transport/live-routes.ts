import websocket from '@fastify/websocket';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { callerAddress } from '../http/address-group.ts';
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
import { tryLean } from './websocket/lean/lean-trial.ts';
import { LeanWebSocket } from './websocket/lean/lean-websocket.ts';
import { serveMany } from './websocket/multiplexed-socket.ts';
import { ownUpgrades, takeUpgrade } from './websocket/own-upgrades.ts';
import { PlainWebSocket } from './websocket/plain-websocket.ts';
import { servePoll } from './websocket/poll-socket.ts';
import { asksForWebsocket } from './websocket/upgrade-request.ts';
import {
  MAX_CHUNKS,
  MAX_FRAGMENTS,
  MAX_MESSAGE_BYTES,
  type WebsocketWire,
} from './websocket/websocket-wire.ts';

/** `lean` leans on private parts of Node and `ws`, where they are as known; `plain` never does. */
export type WebsocketKind = 'lean' | 'plain';

/** Extends the class of `ws`, whose server makes one for each handshake. */
type WebsocketClass = new (...options: never[]) => WebsocketWire;

/** The roster tracks the connections, and nothing is ever compressed: a compressor would cost 200 KB a connection. */
const SERVER_OPTIONS = {
  perMessageDeflate: false,
  clientTracking: false,
  autoPong: false,
  maxPayload: MAX_MESSAGE_BYTES,
  maxFragments: MAX_FRAGMENTS,
  maxBufferedChunks: MAX_CHUNKS,
} as const;

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
  // Before the plugin's own hook, which would cut a refusal short. After an upgrade nobody reads this socket for a next request.
  app.addHook('onResponse', ({ raw }, _, done) => {
    if (asksForWebsocket(raw)) raw.socket.destroySoon();
    done();
  });
  await app.register(websocket, {
    // The types ask for the whole module where `ws` itself needs a class that extends its own.
    options: { ...SERVER_OPTIONS, WebSocket: WebSocket as never },
    // Whoever comes from then on is refused by readiness.ts, so that a proxy asks another relay at once.
    preClose: done => void roster.close().finally(done),
  });
  app.websocketServer.on('wsClientError', refuseGarbage);
  ownUpgrades(app.server);

  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/api/poll/:id/live',
    // A HEAD would be answered with a stream that never ends.
    exposeHeadRoute: false,
    preHandler: letGoOfResponse,
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
    preHandler: letGoOfResponse,
    handler: async () => {
      throw new PollError('invalid_request', { message: 'This address is a WebSocket. See PROTOCOL.md.' });
    },
    wsHandler: (socket, request) => {
      const accepted = accept(socket, request, roster);
      if (accepted) serveMany({ hub, shows, ...accepted });
    },
  });
}

/** The response of an upgrade would keep the whole request alive for as long as the connection lives. */
function letGoOfResponse(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (request.ws) reply.raw.detachSocket?.(request.raw.socket);
  done();
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

function accept(socket: WebSocket, request: FastifyRequest, roster: Roster): Accepted | undefined {
  takeUpgrade(request.raw);
  // The listener that the plugin leaves here holds on to the whole request.
  socket.removeAllListeners('error').on('error', ignore);
  const connection = acceptWebsocket(socket as unknown as WebsocketWire, roster, callerAddress(request));
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
    compact: query.compact,
    since: resumed ?? query.since,
    heartbeatMs: (query.heartbeat ?? 0) * 1_000,
    address: callerAddress(request),
  };
}

/** A faulty connection ends, and says so by closing. */
function ignore(): void {}
