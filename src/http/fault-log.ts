import type { Server } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How often one and the same fault is worth a line. */
const EVERY_MS = 10_000;
/** Texts that are remembered: what differs each time is said each time. */
const MOST = 100;

/** When each fault was said last, by server. */
const said = new WeakMap<Server, Map<string, number>>();

/**
 * A line about a fault of ours, however many requests run into it: with a stack where nobody foresaw it, and with the reason alone
 * where the engine cannot answer. How many there were is counted elsewhere. Who asked is told the id of the request, to tell the
 * operator.
 */
export function logFault(request: FastifyRequest, reply: FastifyReply, code: string, fault: unknown): void {
  reply.header('x-request-id', request.id);
  const { message, cause } = fault instanceof Error ? fault : new Error(String(fault));
  const reason = cause instanceof Error ? cause.message : message;
  if (!isDue(request.server.server, `${code} ${reason}`)) return;
  if (code === 'engine_unavailable') request.log.warn({ code, reason }, 'a request could not be served');
  else request.log.error({ code, err: cause ?? fault }, 'a request failed');
}

function isDue(server: Server, text: string): boolean {
  const nowMs = performance.now();
  const lines = said.get(server) ?? new Map<string, number>();
  said.set(server, lines);
  const saidAtMs = lines.get(text);
  if (saidAtMs !== undefined && nowMs - saidAtMs < EVERY_MS) return false;
  if (lines.size >= MOST) lines.clear();
  lines.set(text, nowMs);
  return true;
}
