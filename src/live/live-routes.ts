import type { ServerResponse } from 'node:http';
import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import * as z from 'zod';
import { callerAddress, keyOfRequest } from '../http/caller.ts';
import { rejectMalformed } from '../http/error-replies.ts';
import { beginEvents } from '../http/event-stream.ts';
import { misspelledParameters } from '../http/query.ts';
import { writeAllowance } from '../http/rate-limit.ts';
import { reportFault } from '../http/request-log.ts';
import { type Traffic, traffic, upgrades } from '../metrics/catalogue.ts';
import { areResultsPublic, MAX_KEY_LENGTH, type PollKeys, type Reading, SHOW_NAME } from '../poll/poll.ts';
import { invalidRequest, PollError } from '../poll/poll-error.ts';
import { authorizeRead, type PresentedKey } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { position } from '../protocol/client-message.ts';
import {
  BadMessage,
  type CloseEvent,
  PollNotFound,
  RelayClosing,
  ShowNotFound,
  TooMany,
} from '../protocol/close-event.ts';
import { authorizeShow } from '../show/rewrite-show.ts';
import { Connection } from './connection.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import { DirectWriter } from './direct-writer.ts';
import type { Frame } from './frame.ts';
import { beginSession, type SessionDependencies, type SessionTarget, showAccess } from './session.ts';
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

const spelledQuery = z
  .record(z.string(), z.unknown())
  .superRefine((given, context) => {
    for (const { path, message } of misspelledParameters(given, Object.keys(liveQuery.shape)))
      context.addIssue({ code: 'custom', path: [path], message });
  })
  .pipe(liveQuery);

type ParsedQuery = ReturnType<typeof spelledQuery.safeParse>;
type LiveQuery = z.infer<typeof liveQuery>;

type ParseQuery = (request: FastifyRequest) => ParsedQuery;

/** Parses the query string of a crowd once, because all of it sends the same one. */
function queryParser(): ParseQuery {
  let newest: { readonly text: string; readonly parsed: ParsedQuery } | undefined;
  return ({ raw: { url = '' }, query }) => {
    const start = url.indexOf('?');
    const text = start < 0 ? '' : url.slice(start);
    if (newest?.text !== text) newest = { text, parsed: spelledQuery.safeParse(query) };
    return newest.parsed;
  };
}

export interface StreamOptions extends SessionDependencies {
  readonly registry: ConnectionRegistry;
  /** Returns the current keys of a poll, its show's included. */
  readonly keysOf: (reading: Reading) => Promise<PollKeys>;
}

const FULL_RETRY_SECONDS = 5;

interface Authorized {
  readonly target: SessionTarget;
  /** Shared caches must not keep the head. */
  readonly isPrivate: boolean;
}

/** Adds the live stream as Server-Sent Events: the same addresses, without an upgrade. A refusal has a status. */
export async function eventRoutes(app: FastifyInstance, options: StreamOptions): Promise<void> {
  const { hub, shows, registry, isOperatorKey, keysOf } = options;
  const parseQuery = queryParser();
  // A HEAD would be answered with an endless stream.
  const withoutHead = { exposeHeadRoute: false } as const;

  app.get<{ Params: { id: string } }>('/api/poll/:id/live', withoutHead, (request, reply) =>
    serve(request, reply, async (key, { since }) => {
      const { id } = request.params;
      if (!isReadablePollId(id)) throw new PollError('poll_not_found');
      const reading = await hub.readForStream(id);
      if (!reading) throw await hub.notFound(id);
      const keys = key ? await keysOf(reading) : reading.keys;
      if (authorizeRead(key, keys, isOperatorKey) === 'rejected') throw new PollError('api_key_rejected');
      // An invalid one is ignored, because an `EventSource` that is refused never reconnects.
      const { data: last } = position.safeParse(request.headers['last-event-id']);
      const target = { poll: id, since: last ?? since };
      return { target, isPrivate: !areResultsPublic(reading.results) };
    }),
  );
  app.get<{ Params: { name: string } }>('/api/show/:name/live', withoutHead, (request, reply) =>
    serve(request, reply, async key => {
      const { name } = request.params;
      if (!SHOW_NAME.test(name)) throw new PollError('show_not_found');
      const access = showAccess({ key, isOperatorKey });
      if (access) {
        // Without a key, an unknown show has nothing on air. With a key it is an error.
        const found = await shows.find(name);
        if (!found) throw new PollError('show_not_found');
        authorizeShow(found, access, 'read');
      }
      return { target: { show: name }, isPrivate: key !== undefined };
    }),
  );
  app.get('/api/live', withoutHead, async () => {
    throw new PollError('invalid_request', { message: 'This address is a WebSocket. See PROTOCOL.md.' });
  });

  /** Reserves a connection of the address while `authorize` runs. */
  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    authorize: (key: PresentedKey | undefined, query: LiveQuery) => Promise<Authorized>,
  ): Promise<void> {
    if (isFull(app.server, registry)) throw relayFull();
    const { data: query, error } = parseQuery(request);
    if (!query) throw invalidRequest(error);
    const key = keyOfRequest(request);
    const address = callerAddress(request);
    const release = registry.hold(address);
    if (!release) {
      reply.header('retry-after', FULL_RETRY_SECONDS);
      writeAllowance(reply, { name: 'connections', max: registry.maxPerAddress }, 0, FULL_RETRY_SECONDS);
      throw new PollError('rate_limited', { message: 'Too many live connections from this address.' });
    }
    try {
      const { target, isPrivate } = await authorize(key, query);
      const connection = openEvents(reply, isPrivate);
      connection.heartbeatMs = (query.heartbeat ?? 0) * 1_000;
      connection.register(registry, address);
      beginSession(connection, options, { key, query }, target);
    } finally {
      release();
    }
  }
}

function openEvents(reply: FastifyReply, isPrivate: boolean): EventStreamConnection {
  reply.raw.useChunkedEncodingByDefault = false;
  const response = beginEvents(reply, {
    'cache-control': isPrivate ? 'private, no-store' : 'no-store',
    connection: 'close',
  });
  response.flushHeaders();
  const connection = new EventStreamConnection(response);
  response.on('close', () => connection.onClosed());
  return connection;
}

const COMMENT = Buffer.from(': keep-alive\n\n');
const NOTHING = Buffer.alloc(0);
/** Random within this range, to spread reconnects. */
const RETRY_MS = { min: 1_000, spread: 4_000 };
/** Shorter, because a draining relay closes its connections one after the other. */
const MOVE_MS = { min: 100, spread: 400 };
/** A client that has not read the last bytes by then is terminated. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Server-Sent Events on a response whose headers are sent. The body is not chunked, so all clients
 * get the same bytes.
 */
export class EventStreamConnection extends Connection {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    super(traffic.sse);
    this.#response = response;
    this.#writeBytes(Buffer.from(retryWithin(RETRY_MS)));
  }

  override terminate(): void {
    this.#response.destroy();
  }

  protected override write(frame: Frame): boolean {
    return this.#writeBytes(frame.sse);
  }

  protected override onceDrained(callback: () => void): void {
    this.#response.socket?.write(NOTHING, callback);
  }

  /** A comment has no reply: a client counts as alive if the kernel accepted it. */
  protected override ping(): void {
    if (this.#writeBytes(COMMENT)) this.markAlive();
  }

  protected override sendClose(event: CloseEvent): void {
    if (this.#response.writableEnded) return;
    this.#response.end(retryWithin(event === RelayClosing ? MOVE_MS : RETRY_MS));
    // The end would wait forever behind unread bytes.
    setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  #writeBytes(bytes: Buffer): boolean {
    const { socket } = this.#response;
    if (!socket?.writable) return true;
    socket.write(bytes);
    return socket.writableLength === 0;
  }
}

/** An `EventSource` waits that long before it reconnects. */
function retryWithin({ min, spread }: typeof RETRY_MS): string {
  return `retry: ${Math.round(min + Math.random() * spread)}\n\n`;
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
  const { registry, directWrites } = options;
  const writer = new DirectWriter(reason => app.log.warn({ reason }, 'direct writes disabled'));
  if (directWrites) await writer.enable();
  const parseQuery = queryParser();
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
  const services = { registry, writer, parseQuery };
  const serveOne = (
    address: string,
    targetOf: (params: { id: string; name: string }, query: LiveQuery) => SessionTarget | undefined,
    missing: CloseEvent,
  ) =>
    app.get<{ Params: { id: string; name: string } }>(
      address,
      { ...upgrade, preHandler },
      (socket, request) => {
        const accepted = accept(socket, request, services, traffic.websocket);
        const target = accepted && targetOf(request.params, accepted.query);
        if (target) beginSession(accepted.connection, options, accepted, target);
        else accepted?.connection.refuse(missing, request.params.id);
      },
    );
  const pollOf = ({ id }: { id: string }, { since }: LiveQuery) =>
    isReadablePollId(id) ? { poll: id, since } : undefined;
  serveOne('/api/poll/:id/live', pollOf, PollNotFound);
  const showOf = ({ name }: { name: string }) => (SHOW_NAME.test(name) ? { show: name } : undefined);
  serveOne('/api/show/:name/live', showOf, ShowNotFound);
  // The client sends first here, so the handshake is not corked.
  app.get('/api/live', { ...upgrade, preHandler: detachResponse }, (socket, request) => {
    const accepted = accept(socket, request, services, traffic.multiplexed);
    if (accepted) beginSession(accepted.connection, options, accepted);
  });
}

/** An attached response would keep the whole request in memory as long as the connection. */
function detachResponse(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.raw.detachSocket?.(request.raw.socket);
  done();
}

const NO_ADDRESS = '';

interface AcceptDependencies {
  readonly registry: ConnectionRegistry;
  readonly writer: DirectWriter;
  readonly parseQuery: ParseQuery;
}

interface Accepted {
  readonly connection: WebsocketConnection;
  readonly query: LiveQuery;
  readonly key: PresentedKey | undefined;
}

function accept(
  socket: unknown,
  request: FastifyRequest,
  { registry, writer, parseQuery }: AcceptDependencies,
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
  const { data: query, error } = parseQuery(request);
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
