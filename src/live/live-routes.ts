import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import * as z from 'zod';
import { callerAddress, keyOfRequest } from '../http/caller.ts';
import { rejectMalformed } from '../http/error-replies.ts';
import { reportFault } from '../http/request-log.ts';
import { type Traffic, traffic, upgrades } from '../metrics/catalogue.ts';
import { MAX_KEY_LENGTH, SHOW_NAME } from '../poll/poll.ts';
import { invalidRequest, PollError } from '../poll/poll-error.ts';
import type { PresentedKey } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { type Held, position } from '../protocol/client-message.ts';
import { BadMessage, PollNotFound, ShowNotFound, TooMany } from '../protocol/close-event.ts';
import type { ConnectionRegistry } from './connection.ts';
import { DirectWriter } from './direct-writer.ts';
import { type StreamOptions, type StreamRequest, servePollEvents, serveShowEvents } from './event-stream.ts';
import { MultiplexedSession, PollSession, ShowSession } from './session.ts';
import {
  acceptUpgrade,
  HandshakeCork,
  isFull,
  relayFull,
  UpgradedSocket,
  upgradeGate,
} from './upgrade-gate.ts';
import { WebsocketConnection } from './websocket-connection.ts';

const DEFAULT_HZ = 10;

const whole = (min: number, max: number, error: string, description: string) =>
  z
    .string(error)
    .regex(/^\d{1,16}$/, error)
    .transform(Number)
    .refine(value => value >= min && value <= max, error)
    .meta({ type: 'integer', minimum: min, maximum: max, description });

const flag = (description: string) =>
  z
    .enum(['0', '1'], 'must be 1 or 0')
    .default('0')
    .transform(value => value === '1')
    .meta({ description });

const KEY = `must be one key, of at most ${MAX_KEY_LENGTH} characters`;

/** The query parameters of the live stream. */
export const liveQuery = z.object({
  key: z.string(KEY).max(MAX_KEY_LENGTH, KEY).optional(),
  since: position
    .meta({
      description:
        'The `position` that the client already shows: if the poll has not changed since, the first message is `current`.',
    })
    .optional(),
  hz: whole(
    1,
    20,
    'must be a whole number from 1 to 20',
    'Maximum `results` and `counts` per second for one poll.',
  ).default(DEFAULT_HZ),
  compact: flag('`1`: `counts` where they are enough; `0`: always `results`.'),
  preview: flag('`1`: not counted as audience, for previews at a desk.'),
  page: flag('`1`: counted as a voter’s page, not as a screen.'),
  heartbeat: whole(
    1,
    3_600,
    'must be a whole number of seconds from 1 to 3600',
    'Seconds between heartbeats; none are sent without it.',
  ).optional(),
});

type ParsedQuery = ReturnType<typeof liveQuery.safeParse>;
type LiveQuery = z.infer<typeof liveQuery>;

/** Parses the query string of a crowd once, because all of it sends the same one. */
class QueryParser {
  #newest: { readonly text: string; readonly parsed: ParsedQuery } | undefined;

  parse({ raw, query: members }: FastifyRequest): ParsedQuery {
    const { url = '' } = raw;
    const start = url.indexOf('?');
    const text = start < 0 ? '' : url.slice(start);
    if (this.#newest?.text !== text) this.#newest = { text, parsed: liveQuery.safeParse(members) };
    return this.#newest.parsed;
  }
}

/** Adds the live stream as Server-Sent Events: the same addresses, without an upgrade. */
export async function eventRoutes(app: FastifyInstance, options: StreamOptions): Promise<void> {
  // A HEAD would be answered with an endless stream.
  const withoutHead = { exposeHeadRoute: false } as const;
  const queries = new QueryParser();
  app.get<{ Params: { id: string } }>('/api/poll/:id/live', withoutHead, async (request, reply) => {
    if (isFull(app.server, options.registry)) throw relayFull();
    const { since, ...stream } = streamRequest(request, queries);
    await servePollEvents(request.params.id, lastEventId(request) ?? since, stream, reply, options);
  });
  app.get<{ Params: { name: string } }>('/api/show/:name/live', withoutHead, async (request, reply) => {
    if (isFull(app.server, options.registry)) throw relayFull();
    await serveShowEvents(request.params.name, streamRequest(request, queries), reply, options);
  });
  app.get('/api/live', withoutHead, async () => {
    throw new PollError('invalid_request', { message: 'This address is a WebSocket. See PROTOCOL.md.' });
  });
}

function streamRequest(
  request: FastifyRequest,
  queries: QueryParser,
): StreamRequest & Pick<LiveQuery, 'since'> {
  const { data: query, error } = queries.parse(request);
  if (!query) throw invalidRequest(error);
  const { hz, compact, preview, page, since, heartbeat = 0 } = query;
  return {
    query: { hz, compact, preview, page },
    since,
    key: keyOfRequest(request),
    heartbeatMs: heartbeat * 1_000,
    address: callerAddress(request),
  };
}

/** An invalid one is ignored, because an `EventSource` that is refused never reconnects. */
function lastEventId({ headers }: FastifyRequest): Held | undefined {
  return position.safeParse(headers['last-event-id']).data;
}

/** The registry tracks connections. Nothing is compressed: a compressor costs 200 KB a connection. */
const SERVER_OPTIONS = {
  perMessageDeflate: false,
  clientTracking: false,
  // `ws` only does the handshake. Its types ask for its own class.
  WebSocket: UpgradedSocket as never,
} as const;

/** Adds the live stream as WebSockets. Register it beside the REST routes, whose hooks it does not need. */
export async function websocketRoutes(
  app: FastifyInstance,
  options: StreamOptions & { readonly directWrites: boolean },
): Promise<void> {
  const { hub, shows, registry, isOperatorKey, directWrites } = options;
  const writer = new DirectWriter(reason => app.log.warn({ reason }, 'direct writes disabled'));
  if (directWrites) await writer.enable();
  const queries = new QueryParser();
  const handshakes = new HandshakeCork();
  // A child logger for each upgrade would add nothing.
  app.setChildLoggerFactory(logger => logger);
  // Runs before the plugin's own hook, which would cut a refusal short.
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
    // The registry closes connections, see http/readiness.ts.
    preClose: done => done(),
  });
  app.websocketServer.on('wsClientError', rejectMalformed);

  const upgrade = { websocket: true, constraints: { upgrade: 'asked' }, exposeHeadRoute: false } as const;
  const corkUntilFirstFrame: preHandlerHookHandler = ({ raw }, _, done) => {
    handshakes.cork(raw.socket);
    done();
  };
  const preHandler = [detachResponse, corkUntilFirstFrame];
  const services = { registry, writer, queries };
  app.get<{ Params: { id: string } }>('/api/poll/:id/live', { ...upgrade, preHandler }, (socket, request) => {
    const accepted = accept(socket, request, services, traffic.websocket);
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
      const accepted = accept(socket, request, services, traffic.websocket);
      if (!accepted) return;
      const { connection, ...rest } = accepted;
      const { name } = request.params;
      if (!SHOW_NAME.test(name)) return connection.refuse(ShowNotFound);
      const session = new ShowSession(name, { hub, shows, isOperatorKey, ...rest }, connection);
      connection.session = session;
      session.begin();
    },
  );
  // The client sends first here, so the handshake is not corked.
  app.get('/api/live', { ...upgrade, preHandler: detachResponse }, (socket, request) => {
    const accepted = accept(socket, request, services, traffic.multiplexed);
    if (!accepted) return;
    const { connection, ...rest } = accepted;
    connection.session = new MultiplexedSession({ hub, shows, isOperatorKey, ...rest }, connection);
  });
}

/** An attached response would keep the whole request in memory as long as the connection. */
function detachResponse(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.raw.detachSocket?.(request.raw.socket);
  done();
}

const NO_ADDRESS = '';

interface AcceptServices {
  readonly registry: ConnectionRegistry;
  readonly writer: DirectWriter;
  readonly queries: QueryParser;
}

interface Accepted {
  readonly connection: WebsocketConnection;
  readonly query: LiveQuery;
  readonly key: PresentedKey | undefined;
}

function accept(
  socket: unknown,
  request: FastifyRequest,
  { registry, writer, queries }: AcceptServices,
  counts: Traffic,
): Accepted | undefined {
  acceptUpgrade(request.raw);
  const { tcp, head } = socket as UpgradedSocket;
  if (!tcp) return undefined;
  const address = callerAddress(request);
  const hasRoom = registry.hasRoomFor(address);
  const connection = new WebsocketConnection(tcp, head, writer, counts);
  // A rejected connection closes slowly, and takes no room from the next one meanwhile.
  connection.register(registry, hasRoom ? address : NO_ADDRESS);
  if (!hasRoom) {
    connection.refuse(TooMany);
    return undefined;
  }
  const { data: query, error } = queries.parse(request);
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
