import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Rejection } from './rejection.ts';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a request that another site made a browser send. Browsers that know Fetch Metadata say so themselves; on plain
 * HTTP and in older browsers the Origin decides. A request with neither comes from no page of ours.
 *
 * @param publicOrigin of this server, as browsers write it
 */
export function guardSameOrigin(request: FastifyRequest, publicOrigin: string): void {
  if (READS.has(request.method) || isSameOrigin(request, publicOrigin)) return;
  const { origin, host } = request.headers;
  request.log.warn(
    {
      requestId: request.id,
      origin,
      host,
      advice: 'If the origin is this server, set VOTE_PUBLIC_URL to it.',
    },
    'cross-site request rejected',
  );
  throw new Rejection('cross_site');
}

function isSameOrigin(request: FastifyRequest, publicOrigin: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = request.headers.origin;
  if (origin === undefined) return site === 'same-origin';
  if (origin === publicOrigin) return true;
  if (!URL.canParse(origin)) return false;
  const { host, hostname } = new URL(origin);
  // A phone on the local network may reach this server by another name than the public one. Only by a name that nobody
  // outside can own: a foreign domain that is made to point here would otherwise pass for us.
  return host === request.host && isLocalName(hostname);
}

function isLocalName(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return (
    ipaddr.isValid(bare) || !bare.includes('.') || bare.endsWith('.local') || bare.endsWith('.localhost')
  );
}
