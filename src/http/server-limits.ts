import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  LogController,
} from 'fastify';
import { PollError } from '../poll/poll-error.ts';
import { trustedProxies } from './address-group.ts';
import { refuseGarbage } from './raw-reply.ts';
import { requestLog } from './request-log.ts';

/** Slow or hostile clients may not hold a request open: Node's own defaults allow five minutes. In milliseconds. */
const TIMEOUTS = {
  requestTimeout: 15_000,
  keepAliveTimeout: 75_000,
  // Of a connection that has a request: its answer is not read, or never comes. Live connections are exempt.
  connectionTimeout: 20_000,
} as const;

/** What the parser of requests bears. */
const PARSER_LIMITS = {
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 8_192,
} as const satisfies ServerOptions;

/** Thousands of overlays come back in one second after a restart; what the system allows is less on most machines. */
export const LISTEN_BACKLOG = 65_535;

const LIMITS = {
  // Many workers that start at once on a busy machine need longer than Fastify's 10 s, and to start late is no fault.
  pluginTimeout: 60_000,
  ...TIMEOUTS,
  // Requests that are under way at the end may finish, see readiness.ts, which also answers those that come then.
  forceCloseConnections: 'idle',
  return503OnClosing: false,
  http: PARSER_LIMITS,
} as const;

/** Browsers send 20, and what stands in front of a server adds as many. */
const MAX_HEADERS = 64;

/** Nothing of ours takes so long, unless what it waits for will never come. */
const ANSWER_MS = 10_000;

/** Requests of one connection that may wait behind an answer. Browsers, proxies and clients send none ahead. */
const MAX_WAITING = 100;

export interface ServerSurroundings {
  /** Left out: nothing is logged. */
  readonly logger?: FastifyBaseLogger | undefined;
  /** Addresses or CIDR ranges of trusted proxies. Left out: forwarding headers are not believed. */
  readonly trustProxy?: readonly string[] | undefined;
}

/** What a proxy may call a request: anything else would be a way into the log. */
const ID = /^[\w.:/+=-]{1,100}$/;

/**
 * Under which id a fault of ours is logged, and told to who ran into it: the one that a proxy which is believed has given it
 * (`X-Request-Id`), else one of its own. Ids are random: a number would tell how many ballots came before.
 *
 * @param trusted addresses or CIDR ranges of proxies
 */
function requestIds(trusted: readonly string[] = []): (request: IncomingMessage) => string {
  const isTrusted = trustedProxies(trusted);
  return ({ headers, socket }) => {
    const given = headers['x-request-id'];
    const isOurs = typeof given === 'string' && ID.test(given) && isTrusted(socket.remoteAddress ?? '');
    return isOurs ? given : randomUUID();
  };
}

function noSchemas(): never {
  throw new Error('Routes have no JSON Schema: bodies are checked by zod.');
}

/** What every server of ours is built with, whoever it is for. */
export function serverOptions({ logger, trustProxy }: ServerSurroundings) {
  return {
    ...LIMITS,
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    // A log of requests would be a log of addresses and of who voted when.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    childLoggerFactory: requestLog,
    // Its own, or what a proxy that is believed has given it: one id through all logs.
    genReqId: requestIds(trustProxy),
    requestIdHeader: false,
    trustProxy: trustProxy ? trustedProxies(trustProxy) : false,
    clientErrorHandler: refuseGarbage,
    // Bodies are checked by zod. Fastify would load its compilers of JSON Schema all the same, which is a fifth of a start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  } satisfies FastifyHttpOptions<Server>;
}

/**
 * Refuses a request of too many headers, or of two hosts (RFC 9112, section 3.2). Node alone would drop the last headers without
 * a word: where that is the address that a proxy has added, the caller would pass for the proxy. Call it before other hooks.
 */
export function limitHeaders(app: FastifyInstance): void {
  // As many as fit into the size, so that all are counted.
  app.server.maxHeadersCount = 0;
  app.addHook('onRequest', ({ raw: { rawHeaders } }, _, done) => {
    if (rawHeaders.length > 2 * MAX_HEADERS) done(new PollError('invalid_request', TOO_MANY_HEADERS));
    else if (hasTwoHosts(rawHeaders)) done(new PollError('invalid_request', TWO_HOSTS));
    else done();
  });
}

const TOO_MANY_HEADERS = { message: `At most ${MAX_HEADERS} headers are read.` };
const TWO_HOSTS = { message: 'A request has one Host header.' };

/** @param rawHeaders names and values in turn, as they came */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (/^host$/i.test(rawHeaders[at]!)) hosts += 1;
  return hosts > 1;
}

/**
 * Answers 503 where a handler does not. Fastify's own `handlerTimeout` ends with the body of a request, and costs a read a fifth more.
 *
 * @param methods all others are hung up on after a while, by `connectionTimeout`
 */
export function limitAnswering(app: FastifyInstance, methods: readonly string[]): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (methods.includes(request.method)) {
      const timer = setTimeout(() => {
        if (!reply.sent) reply.send(new PollError('engine_unavailable'));
      }, ANSWER_MS).unref();
      reply.raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/**
 * Hangs up on a connection that sends too much ahead: behind a stream, which never ends, a request takes 4 KB for as long as
 * the stream is open. To be called before other hooks are added.
 */
export function limitWaiting(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    // A response whose turn it is has the connection.
    if (response.socket) {
      done();
      return;
    }
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    response.on('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    if (count <= MAX_WAITING) done();
    else socket.destroy();
  });
}
