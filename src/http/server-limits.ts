import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  LogController,
} from 'fastify';
import { droppedConnections } from '../metrics/catalogue.ts';
import { PollError } from '../poll/poll-error.ts';
import { addressGroup, trustedProxies } from './caller.ts';
import { PARSED_BYTES, rejectMalformed } from './error-replies.ts';

/** Slow clients may not hold a request open: Node's default is five minutes. In milliseconds. */
const TIMEOUTS = {
  requestTimeout: 15_000,
  keepAliveTimeout: 75_000,
  // Without traffic during a request. Live connections are exempt.
  connectionTimeout: 20_000,
} as const;

const PARSER_LIMITS = {
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: PARSED_BYTES,
} as const satisfies ServerOptions;

/** Thousands of overlays reconnect within a second after a restart. Most systems cap it lower. */
export const LISTEN_BACKLOG = 65_535;

const LIMITS = {
  // Many workers that start at once on a busy machine need longer than Fastify's 10 s.
  pluginTimeout: 60_000,
  ...TIMEOUTS,
  // readiness.ts lets requests in flight finish and replies to later ones.
  forceCloseConnections: 'idle',
  return503OnClosing: false,
  http: PARSER_LIMITS,
} as const;

/** Browsers send 20, proxies add as many. */
const MAX_HEADERS = 64;
/** Longer than any handler takes, unless what it awaits never settles. */
const HANDLER_TIMEOUT_MS = 10_000;
/** Pipelined requests of one connection. Browsers, proxies and clients send none. */
const MAX_PIPELINED = 100;

interface ServerEnvironment {
  readonly logger?: FastifyBaseLogger | undefined;
  /** Addresses or CIDR ranges of trusted proxies. Left out: forwarding headers are ignored. */
  readonly trustProxy?: readonly string[] | undefined;
}

/** Rejects ids that could inject into the log. */
const REQUEST_ID = /^[\w.:/+=-]{1,100}$/;

/**
 * Returns the `X-Request-Id` of the client or a proxy, else 48 random bits: a number would reveal
 * how many ballots came before.
 */
function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID().slice(-12);
}

/** Names the request in every reply, so that it can be found in the log. */
export function sendRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}

function noSchemas(): never {
  throw new Error('Routes have no JSON Schema: bodies are checked by zod.');
}

export function serverOptions({ logger, trustProxy }: ServerEnvironment) {
  return {
    ...LIMITS,
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    // A log of requests would show addresses, and who voted when.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    // A child logger for each request costs as much as reading a poll; log lines name the request themselves.
    childLoggerFactory: parent => parent,
    genReqId: requestId,
    requestIdHeader: false,
    trustProxy: trustProxy ? trustedProxies(trustProxy) : false,
    clientErrorHandler: rejectMalformed,
    // Without these, Fastify loads its compilers of JSON Schema, a fifth of a start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  } satisfies FastifyHttpOptions<Server>;
}

/**
 * Rejects requests with too many headers or two hosts (RFC 9112, section 3.2). Node alone drops the
 * last headers silently, one of which may be the proxy's `X-Forwarded-For`.
 */
export function limitHeaders(app: FastifyInstance): void {
  app.server.maxHeadersCount = 0;
  app.addHook('onRequest', ({ raw: { rawHeaders } }, _, done) => {
    if (rawHeaders.length > 2 * MAX_HEADERS) done(new PollError('headers_too_large'));
    else if (hasTwoHosts(rawHeaders)) done(new PollError('invalid_request', TWO_HOSTS));
    else done();
  });
}

const TWO_HOSTS = { message: 'A request has one Host header.' };

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (/^host$/i.test(rawHeaders[at]!)) hosts += 1;
  return hosts > 1;
}

/**
 * Replies 503 if a handler does not reply in time. Fastify's `handlerTimeout` ends with the body of
 * a request and makes a read a fifth slower.
 *
 * @param methods others are only bounded by `connectionTimeout`
 */
export function limitHandlerTime(app: FastifyInstance, methods: readonly string[]): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (methods.includes(request.method)) {
      const timer = setTimeout(() => {
        if (!reply.sent) reply.send(new PollError('engine_unavailable'));
      }, HANDLER_TIMEOUT_MS).unref();
      reply.raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/** Closes connections that pipeline too many requests: behind a stream, each takes 4 KB until the stream ends. */
export function limitPipelining(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    // Only a response whose turn has come has the socket.
    if (response.socket) {
      done();
      return;
    }
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    response.on('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    if (count <= MAX_PIPELINED) done();
    else socket.destroy();
  });
}

/** Shares of a server's connections. From the first on, each new connection closes an idle one. */
const NEARLY_FULL = 0.9;
/**
 * From here on, only addresses within their share may connect. Live connections stop earlier, see
 * live/upgrade-gate.ts.
 */
const RESERVED_FROM = 0.97;
const ADDRESS_SHARE = 0.25;

const dropped = {
  idle: droppedConnections.of({ reason: 'idle' }),
  address: droppedConnections.of({ reason: 'address' }),
  full: droppedConnections.of({ reason: 'full' }),
};

/** Connections of one address; the idle ones ordered by last use. */
interface Holder {
  readonly address: string;
  readonly idle: Set<Socket>;
  count: number;
}

const tracked = Symbol('connection');
interface Tracked {
  readonly holder: Holder | undefined;
  requests: number;
}
type TrackedSocket = Socket & { [tracked]?: Tracked };

/**
 * Keeps one address from taking all connections of a server. A connection without a request in
 * flight is idle; streams and WebSockets never are. On a nearly full server a new connection closes
 * the least recently used idle one: of its own address if that exceeds its share, else of any. An
 * address beyond its share without an idle connection is rejected once the server is almost full.
 */
class ConnectionLimit {
  readonly #server: Server;
  readonly #isProxy: (address: string) => boolean;
  readonly #holders = new Map<string, Holder>();
  readonly #idle = new Set<Socket>();
  #count = 0;
  readonly #onClose: (this: Socket) => void;
  readonly #onAnswered: (this: ServerResponse) => void;

  constructor(server: Server, proxies: readonly string[]) {
    this.#server = server;
    this.#isProxy = trustedProxies(proxies);
    const forget = (socket: Socket) => this.#forget(socket);
    const endRequest = (socket: Socket) => this.#endRequest(socket);
    this.#onClose = function onClose() {
      forget(this);
    };
    this.#onAnswered = function onAnswered() {
      endRequest(this.req.socket);
    };
  }

  add(socket: Socket): void {
    const holder = this.#track(socket);
    this.#makeRoom(socket, holder);
    if (!socket.destroyed) this.#setIdle(socket, holder);
  }

  /** @param response undefined for an upgrade, whose connection is never idle again */
  beginRequest(socket: TrackedSocket, response?: ServerResponse): void {
    const connection = socket[tracked];
    if (!connection) return;
    connection.requests += 1;
    this.#setBusy(socket, connection.holder);
    response?.once('close', this.#onAnswered);
  }

  #endRequest(socket: TrackedSocket): void {
    const connection = socket[tracked];
    if (!connection || socket.destroyed) return;
    connection.requests -= 1;
    if (connection.requests === 0) this.#setIdle(socket, connection.holder);
  }

  #makeRoom(added: Socket, holder: Holder | undefined): void {
    const { maxConnections } = this.#server;
    if (this.#count <= NEARLY_FULL * maxConnections) return;
    const isLarge = holder !== undefined && holder.count > ADDRESS_SHARE * maxConnections;
    const [oldest] = isLarge ? holder.idle : this.#idle;
    if (oldest) this.#drop(oldest, 'idle');
    else if (isLarge && this.#count > RESERVED_FROM * maxConnections) this.#drop(added, 'address');
  }

  #drop(socket: Socket, reason: 'idle' | 'address'): void {
    dropped[reason].value += 1;
    // Before `close`, because many connections may be added until then.
    this.#forget(socket);
    socket.destroy();
  }

  #track(socket: TrackedSocket): Holder | undefined {
    const ip = socket.remoteAddress ?? '';
    const holder = this.#isProxy(ip) ? undefined : this.#holderOf(addressGroup(ip));
    if (holder) holder.count += 1;
    this.#count += 1;
    socket.on('close', this.#onClose);
    socket[tracked] = { holder, requests: 0 };
    return holder;
  }

  #forget(socket: TrackedSocket): void {
    const connection = socket[tracked];
    if (!connection) return;
    delete socket[tracked];
    this.#count -= 1;
    const { holder } = connection;
    if (!holder) return;
    this.#setBusy(socket, holder);
    holder.count -= 1;
    if (holder.count === 0) this.#holders.delete(holder.address);
  }

  #holderOf(address: string): Holder {
    const holder = this.#holders.get(address) ?? { address, idle: new Set(), count: 0 };
    this.#holders.set(address, holder);
    return holder;
  }

  #setIdle(socket: Socket, holder: Holder | undefined): void {
    if (!holder) return;
    holder.idle.add(socket);
    this.#idle.add(socket);
  }

  #setBusy(socket: Socket, holder: Holder | undefined): void {
    holder?.idle.delete(socket);
    this.#idle.delete(socket);
  }
}

/**
 * Limits the connections of a server that does not listen yet.
 *
 * @param maxConnections at a time
 * @param proxies addresses or CIDR ranges of trusted proxies, which have no share
 */
export function limitConnections(
  server: Server,
  maxConnections: number,
  proxies: readonly string[] = [],
): void {
  const limit = new ConnectionLimit(server, proxies);
  server.maxConnections = maxConnections;
  server.on('connection', socket => limit.add(socket));
  server.on('drop', () => {
    dropped.full.value += 1;
  });
  server.prependListener('request', ({ socket }, response) => limit.beginRequest(socket, response));
  // Without another listener the server serves upgrades by HTTP, which a listener here would prevent.
  if (server.listenerCount('upgrade') > 0)
    server.prependListener('upgrade', ({ socket }) => limit.beginRequest(socket));
}
