import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../http/address-group.ts';
import { reportFault } from '../http/fault-log.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { refuseGarbage } from '../http/raw-reply.ts';
import { type Traffic, traffic, upgrades } from '../metrics/catalogue.ts';
import { SHOW_NAME } from '../poll/name-rules.ts';
import type { PresentedKey } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { BadMessage, PollNotFound, ShowNotFound, TooMany } from '../protocol/close-event.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import { enableDirectWrites } from './direct-write.ts';
import type { StreamOptions } from './event-stream.ts';
import { type LiveQuery, parseLiveQuery } from './live-query.ts';
import { MultiplexedSession } from './multiplexed-session.ts';
import { PollSession, ShowSession } from './session.ts';
import { acceptUpgrade, upgradeGate } from './upgrade-gate.ts';
import { corkHandshake, UpgradedSocket, WebsocketConnection } from './websocket-connection.ts';

/** The registry tracks the connections, and nothing is compressed: a compressor would cost 200 KB a connection. */
const SERVER_OPTIONS = {
  perMessageDeflate: false,
  clientTracking: false,
  // `ws` does the handshake alone. The types ask for its own class.
  WebSocket: UpgradedSocket as never,
} as const;

/** Routes that only an upgrade matches. Registered beside the context of REST, whose hooks they do not need. */
export async function websocketRoutes(
  app: FastifyInstance,
  options: StreamOptions & { readonly directWrites: boolean },
): Promise<void> {
  const { hub, shows, registry, isOperatorKey, directWrites } = options;
  if (directWrites) await enableDirectWrites(reason => app.log.warn({ reason }, 'direct writes disabled'));
  // A child logger for each upgrade would add nothing.
  app.setChildLoggerFactory(logger => logger);
  // Before the plugin's own hook, which would cut a refusal short.
  app.addHook('onResponse', ({ raw }, _, done) => {
    raw.socket.destroySoon();
    done();
  });
  await app.register(websocket, {
    options: { ...SERVER_OPTIONS, server: upgradeGate(app.server, registry) },
    errorHandler: (error, socket) => {
      reportFault(app, 'websocket', error);
      socket.terminate();
    },
    // The connections are closed by the registry, before the server: see http/readiness.ts.
    preClose: done => done(),
  });
  app.websocketServer.on('wsClientError', refuseGarbage);

  const upgrade = { websocket: true, constraints: { upgrade: 'asked' }, exposeHeadRoute: false } as const;
  const preHandler = [detachResponse, corkUntilFirstFrame];
  app.get<{ Params: { id: string } }>('/api/poll/:id/live', { ...upgrade, preHandler }, (socket, request) => {
    const accepted = accept(socket, request, registry, traffic.websocket);
    if (!accepted) return;
    const { connection, query, key } = accepted;
    const { id } = request.params;
    if (isReadablePollId(id)) connection.session = new PollSession(hub, id, { ...query, key }, connection);
    else connection.refuse(PollNotFound, id);
  });
  app.get<{ Params: { name: string } }>(
    '/api/show/:name/live',
    { ...upgrade, preHandler },
    (socket, request) => {
      const accepted = accept(socket, request, registry, traffic.websocket);
      if (!accepted) return;
      const { connection, ...wishes } = accepted;
      const { name } = request.params;
      if (!SHOW_NAME.test(name)) return connection.refuse(ShowNotFound);
      const session = new ShowSession(name, { hub, shows, isOperatorKey, ...wishes }, connection);
      connection.session = session;
      session.begin();
    },
  );
  // Nothing is sent here before the client asks, so that the handshake is not corked.
  app.get('/api/live', { ...upgrade, preHandler: detachResponse }, (socket, request) => {
    const accepted = accept(socket, request, registry, traffic.multiplexed);
    if (!accepted) return;
    const { connection, ...wishes } = accepted;
    connection.session = new MultiplexedSession({ hub, shows, isOperatorKey, ...wishes }, connection);
  });
}

/** The response of an upgrade would keep the whole request alive as long as the connection. */
function detachResponse(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.raw.detachSocket?.(request.raw.socket);
  done();
}

function corkUntilFirstFrame(request: FastifyRequest, _: FastifyReply, done: () => void): void {
  corkHandshake(request.raw.socket);
  done();
}

interface Accepted {
  readonly connection: WebsocketConnection;
  readonly query: LiveQuery;
  readonly key: PresentedKey | undefined;
}

/** @returns undefined where the connection was refused */
function accept(
  socket: unknown,
  request: FastifyRequest,
  registry: ConnectionRegistry,
  counts: Traffic,
): Accepted | undefined {
  acceptUpgrade(request.raw);
  const { tcp, head } = socket as UpgradedSocket;
  if (!tcp) return undefined;
  const address = callerAddress(request);
  const hasRoom = registry.hasRoomFor(address);
  const connection = new WebsocketConnection(tcp, head, counts);
  connection.register(registry, address);
  if (!hasRoom) {
    connection.refuse(TooMany);
    return undefined;
  }
  const { data: query, error } = parseLiveQuery(request);
  if (!query) {
    const [issue] = error.issues;
    connection.refuse(BadMessage, undefined, `${issue?.path.join('.')} ${issue?.message}.`);
    return undefined;
  }
  acceptedUpgrades.value += 1;
  request.log.debug({ requestId: request.id, route: request.routeOptions.url }, 'upgrade accepted');
  connection.heartbeatMs = (query.heartbeat ?? 0) * 1_000;
  return { connection, query, key: keyOfRequest(request) };
}

const acceptedUpgrades = upgrades.of({ outcome: 'accepted' });
