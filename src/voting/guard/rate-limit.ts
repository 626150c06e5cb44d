import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, RouteShorthandOptions } from 'fastify';
import { callerAddress } from '../../http/address-group.ts';
import { Refusal } from './refusal.ts';

/** Requests a minute from one address (IPv6: one /64). A school or a hall is one address. */
export interface VotingRateLimits {
  readonly pages: number;
  readonly ballots: number;
  readonly comments: number;
  readonly creates: number;
  /** Tries to open a manage page with a key. */
  readonly keys: number;
  /** Streams open at the same time, not a minute. */
  readonly streams: number;
}

export const RATE_LIMITS: VotingRateLimits = {
  pages: 1_200,
  ballots: 600,
  comments: 10,
  creates: 60,
  keys: 20,
  streams: 500,
};

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

/** A poll of 100 answers of 200 characters with a long description, all percent-encoded. */
export const LARGE_BODY_BYTES = 512 * 1024;
/** Forms that are not about creating a poll: a hundred answers, a solved check and a name fit in twice. */
const SMALL_BODY_BYTES = 32 * 1024;

/** Options of a route that one address may ask for so often; each route has an allowance of its own. */
export function limited(limits: VotingRateLimits, kind: Exclude<keyof VotingRateLimits, 'streams'>) {
  return {
    bodyLimit: kind === 'creates' ? LARGE_BODY_BYTES : SMALL_BODY_BYTES,
    config: { rateLimit: { max: limits[kind], timeWindow: WINDOW_MS } },
  } satisfies RouteShorthandOptions;
}
