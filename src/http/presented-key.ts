import type { FastifyRequest } from 'fastify';
import { type PresentedKey, presentKey } from '../poll/poll-key.ts';

/** The ways a key travels with a request, in the order in which they are looked at. */
export function keyOfRequest(request: FastifyRequest): PresentedKey | undefined {
  const { headers } = request;
  const query = request.query as Record<string, unknown>;
  return (
    presentKey(single(headers['x-api-key']), 'header') ??
    presentKey(bearer(headers.authorization), 'header') ??
    presentKey(single(headers['api-key']), 'header') ??
    presentKey(typeof query['key'] === 'string' ? query['key'] : undefined, 'query')
  );
}

/** Whether anything stands where a key may travel, of whatever kind: what answers it is nothing for a cache. */
export function bringsKey({ headers, query }: FastifyRequest): boolean {
  const inUrl = (query as Record<string, unknown>)['key'];
  return (headers['x-api-key'] ?? headers.authorization ?? headers['api-key'] ?? inUrl) !== undefined;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header?.trim();
}

function bearer(header: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1];
}
