import type { Server } from 'node:http';
import { getSystemErrorName } from 'node:util';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { internalErrors } from '../metrics/catalogue.ts';
import { PollError } from '../poll/poll-error.ts';

/** How often one and the same fault is worth a line. */
const EVERY_MS = 10_000;
/** Texts that are remembered. Beyond it all are forgotten. */
const MOST = 100;

const isDueByServer = new WeakMap<Server, (text: string) => boolean>();

/**
 * Logs a fault of ours, at most once in 10 s however many requests run into it: with the cause alone where the engine cannot answer,
 * else with a stack. The reply gets the id of the request, by which the operator finds the line.
 */
export function logFault(request: FastifyRequest, reply: FastifyReply, code: string, fault: unknown): void {
  reply.header('x-request-id', request.id);
  const { server } = request.server;
  const cause = causeOf(fault);
  const place = request.routeOptions?.url ?? 'none';
  const isOwn = code !== 'engine_unavailable';
  if (isOwn) internalErrors.of({ place }).value += 1;
  if (!isDue(server, `${code} ${isOwn ? place : cause}`)) return;
  if (!isOwn) request.log.warn({ code, cause }, 'a request could not be served');
  else request.log.error({ code, err: (fault as Error | undefined)?.cause ?? fault }, 'a request failed');
}

/** Counts a fault of ours beside all requests, and logs it with its stack, once in ten seconds for each place. */
export function reportFault({ server, log }: FastifyInstance, place: string, error: unknown): void {
  internalErrors.of({ place }).value += 1;
  if (isDue(server, place)) log.error({ place, err: error }, 'internal error');
}

function isDue(server: Server, text: string): boolean {
  const isDueHere = isDueByServer.get(server) ?? oncePer(EVERY_MS);
  isDueByServer.set(server, isDueHere);
  return isDueHere(text);
}

/** Answers whether a text has not been seen for so long. */
export function oncePer(everyMs: number): (text: string) => boolean {
  const seenAtMs = new Map<string, number>();
  return text => {
    const nowMs = performance.now();
    const before = seenAtMs.get(text);
    if (before !== undefined && nowMs - before < everyMs) return false;
    if (seenAtMs.size >= MOST) seenAtMs.clear();
    seenAtMs.set(text, nowMs);
    return true;
  };
}

/** The first cause of a fault in one line, with the code of the system's error where it has one. Not for a reply. */
export function causeOf(fault: unknown): string {
  let first = fault;
  while (first instanceof Error && first.cause !== undefined) first = first.cause;
  if (!(first instanceof Error)) return String(first);
  const { code, message } = first as Error & { code?: string | number };
  if (first instanceof PollError || code === undefined) return message;
  // LMDB gives the system's numbers, and negative ones of its own that say nothing beside its message.
  const name = typeof code === 'string' ? code : code > 0 ? getSystemErrorName(-code) : '';
  return message.includes(name) ? message : [name, message].filter(Boolean).join(': ');
}
