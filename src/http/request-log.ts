import { getSystemErrorName } from 'node:util';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { httpRequests, httpSeconds, internalErrors } from '../metrics/catalogue.ts';
import { PollError } from '../poll/poll-error.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a fault is logged now; absent for all of them. */
    readonly isFaultDue?: (text: string) => boolean;
  }
}

const REPEAT_MS = 10_000;
const MAX_TEXTS = 100;
/** Streams last as long as their clients. */
const STREAM = /\/live$|^\/:id\b.*\/results$/;

/** From now on `logFault` and `reportFault` log the same fault once in 10 s at most. */
export function limitFaultLog(app: FastifyInstance): void {
  app.decorate('isFaultDue', oncePer(REPEAT_MS));
}

/**
 * Logs why a request failed, at most once in 10 s for each cause or route. An internal error is
 * logged with its stack, an unavailable engine with its cause.
 */
export function logFault(request: FastifyRequest, code: string, fault: unknown): void {
  const { id: requestId, log, server } = request;
  const cause = causeOf(fault);
  const place = request.routeOptions?.url ?? 'none';
  const isInternal = code !== 'engine_unavailable';
  if (isInternal) internalErrors.of({ place }).value += 1;
  if (server.isFaultDue?.(`${code} ${isInternal ? place : cause}`) === false) return;
  if (isInternal)
    log.error({ requestId, code, err: (fault as Error | undefined)?.cause ?? fault }, 'request failed');
  else log.warn({ requestId, code, cause }, 'request rejected, engine unavailable');
}

/** Counts an internal error outside of a request, and logs it with its stack, at most once in 10 s for each place. */
export function reportFault({ log, isFaultDue }: FastifyInstance, place: string, error: unknown): void {
  internalErrors.of({ place }).value += 1;
  if (isFaultDue?.(place) !== false) log.error({ place, err: error }, 'internal error');
}

/** Returns a function that is true for a text that it has not accepted within the interval. */
export function oncePer(intervalMs: number): (text: string) => boolean {
  const acceptedAtMs = new Map<string, number>();
  return text => {
    const nowMs = performance.now();
    const before = acceptedAtMs.get(text);
    if (before !== undefined && nowMs - before < intervalMs) return false;
    if (acceptedAtMs.size >= MAX_TEXTS) acceptedAtMs.clear();
    acceptedAtMs.set(text, nowMs);
    return true;
  };
}

/** Returns the first cause of an error in one line, with the system's error code if it has one. Not for replies. */
export function causeOf(fault: unknown): string {
  let first = fault;
  while (first instanceof Error && first.cause !== undefined) first = first.cause;
  if (!(first instanceof Error)) return String(first);
  const { code, message } = first as Error & { code?: string | number };
  if (first instanceof PollError || code === undefined) return message;
  // LMDB has the system's numbers as codes, and negative ones that add nothing to its message.
  const name = typeof code === 'string' ? code : code > 0 ? getSystemErrorName(-code) : '';
  return message.includes(name) ? message : [name, message].filter(Boolean).join(': ');
}

/** Logs each request at `debug`, by its route pattern: a URL may contain a key or a name. */
export function logRequests(app: FastifyInstance): void {
  const { log } = app as { log: FastifyBaseLogger & { isLevelEnabled?: (level: string) => boolean } };
  if (!log.isLevelEnabled?.('debug')) return;
  app.addHook('onResponse', ({ id, method, is404, routeOptions }, { statusCode, elapsedTime }, done) => {
    const route = is404 ? undefined : routeOptions.url;
    const durationMs = Math.round(elapsedTime);
    log.debug({ requestId: id, method, route, status: statusCode, durationMs }, 'request');
    done();
  });
}

/** Counts replies by route pattern, `none` for an unknown address. */
export function countRequests(app: FastifyInstance, server: 'relay' | 'voting'): void {
  app.addHook('onResponse', ({ method, is404, routeOptions }, reply, done) => {
    const route = (is404 ? undefined : routeOptions.url) ?? 'none';
    httpRequests.of({ server, method, route, status: `${reply.statusCode}` }).value += 1;
    if (!STREAM.test(route)) httpSeconds.of({ server, route }).observe(reply.elapsedTime);
    done();
  });
}
