import websocket from '@fastify/websocket';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { callerAddress } from '../http/address-group.ts';
import { reportFault } from '../http/fault-log.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { refuseGarbage } from '../http/raw-reply.ts';
import { type Traffic, traffic, upgrades } from '../metrics/catalogue.ts';
import type { PresentedKey } from '../poll/poll-key.ts';
import { BadMessage } from '../protocol/close-event.ts';
import type { Roster } from './connection-registry.ts';
import { holdHandshake } from './held-handshakes.ts';
import { tryLean } from './lean-trial.ts';
import { LeanWebSocket } from './lean-websocket.ts';
import { type LiveQuery, parseLiveQuery } from './live-query.ts';
import type { LiveOptions } from './live-routes.ts';
import { serveMany } from './multiplexed-session.ts';
import { PlainWebSocket } from './plain-websocket.ts';
import { servePoll } from './poll-session.ts';
import { serveShow } from './show-session.ts';
import { frontDoor, takeUpgrade } from './upgrade-gate.ts';
import { acceptWebsocket, refuse, type WebsocketConnection } from './websocket-connection.ts';
import { MAX_CHUNKS, MAX_FRAGMENTS, MAX_MESSAGE_BYTES, type WebsocketWire } from './websocket-wire.ts';

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

/** Routes that only an upgrade finds. To be registered beside the context of REST, none of whose hooks it needs. */
export async function websocketRoutes(
  app: FastifyInstance,
  options: LiveOptions & { readonly websockets: WebsocketKind },
): Promise<void> {
  const { hub, shows, roster, isOperatorKey, websockets } = options;
  const WebSocket = await chooseWebsocket(websockets, app.log);
  // A logger of its own for each upgrade would log nothing that this one does not.
  app.setChildLoggerFactory(logger => logger);
  // Before the plugin's own hook, which would cut a refusal short. Nobody reads this socket for a next request.
  app.addHook('onResponse', ({ raw }, _, done) => {
    raw.socket.destroySoon();
    done();
  });
  await app.register(websocket, {
    options: {
      ...SERVER_OPTIONS,
      // The types ask for the whole module where `ws` itself needs a class that extends its own.
      WebSocket: WebSocket as never,
      server: frontDoor(app.server, roster),
    },
    errorHandler: (error, socket) => {
      reportFault(app, 'websocket', error);
      socket.terminate();
    },
    preClose: done => void sayFarewell(roster, app.log).finally(done),
  });
  app.websocketServer.on('wsClientError', refuseGarbage);

  const upgrade = { websocket: true, constraints: { upgrade: 'asked' }, exposeHeadRoute: false } as const;
  const preHandler = [letGoOfResponse, ...(WebSocket === LeanWebSocket ? [holdUntilFirstFrame] : [])];
  app.get<{ Params: { id: string } }>('/api/poll/:id/live', { ...upgrade, preHandler }, (socket, request) => {
    const accepted = accept(socket, request, roster, traffic.websocket);
    if (accepted) servePoll(request.params.id, { hub, ...accepted });
  });
  app.get<{ Params: { name: string } }>(
    '/api/show/:name/live',
    { ...upgrade, preHandler },
    (socket, request) => {
      const accepted = accept(socket, request, roster, traffic.websocket);
      if (accepted) serveShow(request.params.name, { hub, shows, isOperatorKey, ...accepted });
    },
  );
  // Nothing is sent here before it is asked for.
  app.get('/api/live', { ...upgrade, preHandler: letGoOfResponse }, (socket, request) => {
    const accepted = accept(socket, request, roster, traffic.multiplexed);
    if (accepted) serveMany({ hub, shows, isOperatorKey, ...accepted });
  });
}

/** The response of an upgrade would keep the whole request alive for as long as the connection lives. */
function letGoOfResponse(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.raw.detachSocket?.(request.raw.socket);
  done();
}

function holdUntilFirstFrame(request: FastifyRequest, _: FastifyReply, done: () => void): void {
  holdHandshake(request.raw.socket);
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

function accept(
  socket: WebSocket,
  request: FastifyRequest,
  roster: Roster,
  counts: Traffic,
): Accepted | undefined {
  takeUpgrade(request.raw);
  // The listener that the plugin leaves here holds on to the whole request.
  socket.removeAllListeners('error').on('error', ignore);
  const connection = acceptWebsocket(
    socket as unknown as WebsocketWire,
    roster,
    callerAddress(request),
    counts,
  );
  if (!connection) return undefined;
  const { data: query, error } = parseLiveQuery(request);
  if (!query) {
    refuse(
      connection,
      BadMessage,
      undefined,
      `${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}.`,
    );
    return undefined;
  }
  acceptedUpgrades.value += 1;
  request.log.debug({ requestId: request.id, route: request.routeOptions.url }, 'upgrade accepted');
  connection.heartbeatMs = (query.heartbeat ?? 0) * 1_000;
  return { connection, query, key: keyOfRequest(request) };
}

const acceptedUpgrades = upgrades.of({ outcome: 'accepted' });

async function sayFarewell(roster: Roster, log: FastifyBaseLogger): Promise<void> {
  const beganMs = performance.now();
  const connections = roster.size;
  log.info({ connections }, 'closing live connections');
  const cut = await roster.close();
  const durationMs = Math.round(performance.now() - beganMs);
  log.info({ connections, cut, durationMs }, 'live connections closed');
}

/** A faulty connection ends, and says so by closing. */
function ignore(): void {}
