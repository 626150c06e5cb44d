import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a request that another site made a browser send. Browsers that know Fetch Metadata say so themselves; on plain
 * HTTP and in older browsers the Origin decides. A request with neither comes from no page of ours.
 */
export function guardSameOrigin(request: FastifyRequest, votePublicUrl: string): void {
  if (READS.has(request.method) || isSameOrigin(request, votePublicUrl)) return;
  throw new Refusal('cross_site');
}

function isSameOrigin(request: FastifyRequest, votePublicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = request.headers.origin;
  if (origin === undefined) return site === 'same-origin';
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  // A phone may reach the same server by another name than the public one, so its own Host counts too.
  return origin === new URL(votePublicUrl).origin || host === request.host;
}
