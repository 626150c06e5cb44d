import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { PollError } from '../poll/poll-error.ts';

/** What pages of other sites may do. Reads are open to all of them. */

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const EVERY_ORIGIN = '*';

const CORS = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Content-Type',
    'Idempotency-Key',
    'Request-Expires',
    'X-API-Key',
    'API-KEY',
    'Authorization',
    'If-None-Match',
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
  // Otherwise an OPTIONS that is no preflight is refused in plain text.
  strictPreflight: false,
};

/**
 * Whatever is no read is refused where a page of a foreign origin sends it, before anything is done: a form and a `text/plain`
 * body need no preflight, so the headers of a reply alone would come too late.
 *
 * @param origins that may write from a page; `*` is every origin
 * @param ownUrls the relay's own address and that of the voting front end: the builder and the desk always may
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
    // A refusal may be read: it says what to do.
    reply.header('access-control-allow-origin', EVERY_ORIGIN);
    done(new PollError('origin_rejected'));
  });
  await app.register(cors, CORS);
}
