import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import * as z from 'zod';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';

/** Rules for all requests, whatever they ask for: origins, methods, and the time until which they are wanted. */

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const EVERY_ORIGIN = '*';
const CORS = {
  origin: EVERY_ORIGIN,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Content-Type',
    'Idempotency-Key',
    'Request-Expires',
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

/**
 * Lets pages of all sites read, and rejects writes from foreign origins before they are carried out: forms and `text/plain` bodies need
 * no preflight.
 *
 * @param origins that may write; `*` is every origin
 * @param ownUrls of the relay and the voting front end, whose pages may always write
 */
export async function guardCrossOrigin(
  app: FastifyInstance,
  origins: readonly string[],
  ownUrls: readonly string[],
): Promise<void> {
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
  await app.register(cors, CORS);
}

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY'];

export interface OtherMethods {
  /** Answers the other methods of the recorded routes with 405 and `Allow`. Call it after the last route. */
  reject(): void;
  /** Rejects a method that the router does not know, if another one works there. @throws PollError `method_not_allowed` */
  rejectUnknown(request: FastifyRequest, reply: FastifyReply): void;
}

/** Records the routes added from now on, and names their methods in replies to `OPTIONS`. */
export function otherMethods(app: FastifyInstance): OtherMethods {
  const methodsOfUrl = new Map<string, Set<string>>();
  let isRecording = true;
  let patterns: readonly (readonly [RegExp, readonly string[]])[] = [];
  const allowedAt = ({ url }: FastifyRequest) => {
    const path = url.split('?', 1)[0]!;
    return [...new Set(patterns.filter(([pattern]) => pattern.test(path)).flatMap(([, names]) => names))];
  };
  app.addHook('onRequest', (request, reply, done) => {
    const allowed = request.method === 'OPTIONS' ? allowedAt(request) : [];
    if (allowed.length > 0) reply.header('allow', [...allowed, 'OPTIONS'].join(', '));
    done();
  });
  app.addHook('onRoute', ({ url, method }) => {
    if (!isRecording || url === '*') return;
    const methods = methodsOfUrl.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsOfUrl.set(url, methods);
  });

  function reject(): void {
    isRecording = false;
    patterns = [...methodsOfUrl].map(([url, methods]) => [patternOf(url), [...methods]]);
    for (const [url, methods] of methodsOfUrl) {
      const allow = [...methods].join(', ');
      const method = METHODS.filter(name => !methods.has(name));
      const handler = async (_: unknown, reply: { header(name: string, value: string): unknown }) => {
        reply.header('allow', allow);
        throw new PollError('method_not_allowed');
      };
      // In `onRequest`, so that a bad body does not change the answer.
      if (method.length > 0) app.route({ method, url, onRequest: handler, handler });
    }
  }

  function rejectUnknown(request: FastifyRequest, reply: FastifyReply): void {
    const allowed = METHODS.some(name => name === request.method) ? [] : allowedAt(request);
    if (allowed.length === 0) return;
    reply.header('allow', allowed.join(', '));
    throw new PollError('method_not_allowed');
  }

  return { reject, rejectUnknown };
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

/**
 * Rejects expired writes before their body is read, but after unsupported methods. Handlers check again directly before they write,
 * because a stalled process may carry out a request much later.
 */
export function rejectExpiredWrites(app: FastifyInstance): void {
  app.addHook('preParsing', async request => {
    if (!READS.has(request.method)) rejectExpired(request);
  });
}

/** @throws PollError `invalid_request`, `request_expired` */
export function rejectExpired({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const seconds = parseOrThrow(requestExpires, headers['request-expires'], 'Request-Expires');
  if (seconds !== undefined && Date.now() > Number(seconds) * 1_000) throw new PollError('request_expired');
}
