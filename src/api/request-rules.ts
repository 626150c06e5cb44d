import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import * as z from 'zod';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';

/**
 * Rules for all requests of the relay, whatever they ask for: origins, methods, and the time until
 * which they are wanted.
 */

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const EVERY_ORIGIN = '*';
const CORS = {
  origin: EVERY_ORIGIN,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Content-Type',
    'Idempotency-Key',
    'Request-Expires',
    'X-Request-Id',
    'X-API-Key',
    'API-KEY',
    'Authorization',
    'If-None-Match',
    'If-Match',
    'Last-Event-ID',
    'Cache-Control',
  ],
  exposedHeaders: [
    'Location',
    'ETag',
    'Retry-After',
    'X-Request-Id',
    'RateLimit',
    'RateLimit-Policy',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
  ],
  maxAge: 86_400,
  // Otherwise an OPTIONS request that is no preflight is rejected in plain text.
  strictPreflight: false,
};

export interface RelayRules {
  /** Origins that may write; `*` is every origin. */
  readonly corsOrigins: readonly string[];
  /** Addresses of the relay and the voting front end, whose pages may always write. */
  readonly ownUrls: readonly string[];
  /** Set on every reply. */
  readonly headers: Readonly<Record<string, string>>;
  /** Replies to requests that no route has. */
  readonly sendNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** Holds for all plugins that are registered after it. */
export const relayRules = plugin(
  async (app: FastifyInstance, { corsOrigins, ownUrls, headers, sendNotFound }: RelayRules) => {
    const methodsAt = recordMethods(app);
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(headers);
      const allowed = request.method === 'OPTIONS' ? methodsAt(request) : [];
      if (allowed.length > 0) reply.header('allow', [...allowed, 'OPTIONS'].join(', '));
      done();
    });
    rejectForeignWrites(app, corsOrigins, ownUrls);
    await app.register(cors, CORS);
    // Here, so that a bad body does not change the answer.
    app.addHook('onRequest', (request, reply, done) => {
      if (!request.is404) return done();
      const allowed = methodsAt(request);
      if (allowed.length === 0) sendNotFound(request, reply).then(undefined, done);
      else {
        reply.header('allow', allowed.join(', '));
        const message = `This URL supports ${allowed.join(', ')}, not ${request.method}.`;
        done(new PollError('method_not_allowed', { message }));
      }
    });
    // Before the body is read; handlers check again directly before they write, because a stalled
    // process may do so much later. A repeated request learns what the first one did, however late.
    app.addHook('preParsing', async request => {
      if (READS.has(request.method) || !isExpired(request)) return;
      if (request.headers['idempotency-key'] === undefined) throw new PollError('request_expired');
    });
    app.setNotFoundHandler(sendNotFound);
  },
);

/** Rejects writes from foreign origins before they are carried out: forms and `text/plain` bodies need no preflight. */
function rejectForeignWrites(
  app: FastifyInstance,
  origins: readonly string[],
  ownUrls: readonly string[],
): void {
  const allowed = new Set(origins);
  for (const url of ownUrls) if (URL.canParse(url)) allowed.add(new URL(url).origin);
  app.addHook('onRequest', ({ method, headers }, reply, done) => {
    const { origin } = headers;
    if (origin === undefined || allowed.has(EVERY_ORIGIN) || allowed.has(origin)) return done();
    const asked = method === 'OPTIONS' ? headers['access-control-request-method'] : method;
    if (asked === undefined || READS.has(asked)) return done();
    // The page may read the error.
    reply.header('access-control-allow-origin', EVERY_ORIGIN);
    done(new PollError('origin_rejected'));
  });
}

/** @returns the methods of all routes that a URL matches, in the usual order */
function recordMethods(app: FastifyInstance): (request: FastifyRequest) => string[] {
  const methodsOfUrl = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url === '*') return;
    const known = methodsOfUrl.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const name of [method].flat()) known.methods.add(name);
    methodsOfUrl.set(url, known);
  });
  return ({ url }) => {
    const path = url.split('?', 1)[0]!;
    const matching = [...methodsOfUrl.values()].filter(({ pattern }) => pattern.test(path));
    return CORS.methods.filter(name => matching.some(({ methods }) => methods.has(name)));
  };
}

/** @param url of a route, such as `/api/poll/:id` */
function patternOf(url: string): RegExp {
  const escaped = url.replace(/[.+()[\]]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:\w+/g, '[^/]+').replace('*', '.*')}/?$`);
}

const EXPIRES = 'must be a UNIX time in seconds, such as 1767225600.25';
export const requestExpires = z
  .string(EXPIRES)
  .regex(/^\d{1,12}(\.\d{1,9})?$/, EXPIRES)
  .optional();

/** @throws PollError `invalid_request`, `request_expired` */
export function rejectExpired(request: Pick<FastifyRequest, 'headers'>): void {
  if (isExpired(request)) throw new PollError('request_expired');
}

/** @throws PollError `invalid_request` */
function isExpired({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const seconds = parseOrThrow(requestExpires, headers['request-expires'], 'Request-Expires');
  return seconds !== undefined && Date.now() > Number(seconds) * 1_000;
}
