import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, RouteShorthandOptions } from 'fastify';
import { callerAddress } from '../voter/address.ts';
import type { VotingRateLimits } from '../voting-options.ts';
import { Refusal } from './refusal.ts';

const WINDOW_MS = 60_000;
/** Addresses remembered at a time; beyond it the ones not heard of for longest are forgotten. */
const REMEMBERED_ADDRESSES = 50_000;

export async function addRateLimits(server: FastifyInstance): Promise<void> {
  await server.register(rateLimit, {
    global: false,
    cache: REMEMBERED_ADDRESSES,
    keyGenerator: callerAddress,
    errorResponseBuilder: (_request, { ttl }) =>
      new Refusal('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1000)) }),
  });
}

/** Options of a route that one address may ask for so often; all routes of one kind share the allowance. */
export function limited(limits: VotingRateLimits, kind: Exclude<keyof VotingRateLimits, 'streams'>) {
  return {
    config: { rateLimit: { max: limits[kind], timeWindow: WINDOW_MS, groupId: kind } },
  } satisfies RouteShorthandOptions;
}
