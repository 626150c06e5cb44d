import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { callerAddress } from '../../http/caller.ts';
import { type Allowance, type SharedCounts, takeOne } from '../../http/rate-limit.ts';
import type { Viewers } from '../voter/viewer.ts';
import { Rejection } from './rejection.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In a minute; each route has one of its own. */
    allowance?: Allowance & { readonly of: 'voter' | 'address' };
  }
}

/** Limits in a minute, unless stated otherwise. A school, a hall or a carrier's network is one address (IPv6: one /64). */
export interface VotingRateLimits {
  /** Requests in a second of one address without a sealed voter cookie; see `CookieGate`. Counted by each process. */
  readonly newcomers: number;
  /** Pages of one voter, wherever the requests come from. */
  readonly pages: number;
  /** Ballots of one voter. */
  readonly ballots: number;
  /** Comments of one voter. */
  readonly comments: number;
  /** Polls created by one address. */
  readonly creates: number;
  /** Attempts of one address to open a manage page with a key. */
  readonly keys: number;
  /** Streams open at the same time: of one voter, or of one address without a sealed voter cookie. */
  readonly streams: number;
}

/** The limits that no setting changes. */
export const FIXED_LIMITS = { keys: 20, streams: 500 } as const satisfies Partial<VotingRateLimits>;

/** Counts requests of each route by voter or by address. To be called before routes are added. */
export function addRateLimits(server: FastifyInstance, counts: SharedCounts, viewers: Viewers): void {
  server.addHook('onRequest', async (request, reply) => {
    const { config, method, url } = request.routeOptions;
    const { allowance } = config;
    if (!allowance) return;
    const caller = allowance.of === 'voter' ? (await viewers.find(request))?.voter : callerAddress(request);
    // Requests without a sealed cookie have passed the gate, which limits them by address.
    if (caller === undefined) return;
    const refusal = takeOne(reply, counts, `${method} ${url} ${caller}`, allowance, tooMany);
    if (refusal) throw refusal;
  });
}

function tooMany(retryAfterSeconds: number): Rejection {
  return new Rejection('rate_limited', { retryAfterSeconds });
}

/** A poll of 100 answers of 200 characters with a long description, all percent-encoded. */
export const LARGE_BODY_BYTES = 512 * 1024;
/** Forms that are not about creating a poll: a hundred answers, a solved check and a name fit in twice. */
const SMALL_BODY_BYTES = 32 * 1024;

const OF_ADDRESSES: ReadonlySet<string> = new Set(['creates', 'keys']);

/** Returns the options of a route with a limit; each route has an allowance of its own. */
export function limited(
  limits: VotingRateLimits,
  kind: Exclude<keyof VotingRateLimits, 'streams' | 'newcomers'>,
): { readonly bodyLimit: number; readonly config: FastifyContextConfig } {
  const bodyLimit = kind === 'creates' ? LARGE_BODY_BYTES : SMALL_BODY_BYTES;
  const of = OF_ADDRESSES.has(kind) ? 'address' : 'voter';
  return { bodyLimit, config: { allowance: { name: kind, max: limits[kind], of } } };
}
