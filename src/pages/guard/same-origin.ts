import { hostname as machineName } from 'node:os';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { isLoopback } from '../../http/loopback.ts';
import { Rejection } from './rejection.ts';

const MACHINE = machineName()
  .toLowerCase()
  .replace(/\.local$/, '');
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects cross-site requests by Fetch Metadata, or by Origin on plain HTTP and in older browsers;
 * also without either.
 */
export function guardSameOrigin(request: FastifyRequest, publicOrigin: string): void {
  if (SAFE_METHODS.has(request.method) || isSameOrigin(request, publicOrigin)) return;
  const { origin, host } = request.headers;
  const advice = 'If the origin is this server, set VOTE_PUBLIC_URL to it.';
  request.log.warn({ requestId: request.id, origin, host, advice }, 'cross-site request rejected');
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
  // Phones on the local network may use another name than the public one. Any device there may call
  // itself `something.local`, and any domain may resolve to this server, so only addresses and this
  // machine's own name count.
  return host === request.host && isOwnName(hostname.replace(/^\[|\]$/g, ''));
}

function isOwnName(name: string): boolean {
  return isLoopback(name) || ipaddr.isValid(name) || name === MACHINE || name === `${MACHINE}.local`;
}
