import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { callerAddress } from '../../http/address-group.ts';
import type { Viewers } from '../voter/viewer.ts';
import { Refusal } from './refusal.ts';
import { type Counted, type SharedCounts, WINDOW_MS } from './shared-counts.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    takesBallots?: boolean;
  }
}

/** A minute, of one address (IPv6: one /64) where nothing else is said. A school, a hall or a carrier's network is one address. */
export interface VotingRateLimits {
  /** Against a flood; a crowd of people is no flood, and is bent by the lines in front of the server. */
  readonly pages: number;
  /** Ballots of one voter, wherever they come from. */
  readonly ballots: number;
  /** Ballots without a voter's cookie or a passed human check. */
  readonly failedBallots: number;
  readonly comments: number;
  readonly creates: number;
  /** Tries to open a manage page with a key. */
  readonly keys: number;
  /** Streams open at the same time, not a minute. */
  readonly streams: number;
}

export const RATE_LIMITS: VotingRateLimits = {
  pages: 30_000,
  ballots: 60,
  failedBallots: 600,
  comments: 10,
  creates: 60,
  keys: 20,
  streams: 500,
};

export async function addRateLimits(server: FastifyInstance, counts: SharedCounts): Promise<void> {
  server.addHook('onClose', async () => counts.close());
  await server.register(rateLimit, {
    global: false,
    store: storeOf(counts),
    keyGenerator: callerAddress,
    errorResponseBuilder: (_request, { ttl }) => tooMany(ttl),
  });
}

function tooMany(ttlMs: number): Refusal {
  return new Refusal('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(ttlMs / 1000)) });
}

/**
 * Limits of the way in for ballots. Whoever has solved a human check is a person, and people share addresses: they are told apart
 * by their cookies, which are sealed. What fails is counted by address.
 */
export function limitBallots(
  server: FastifyInstance,
  { ballots, failedBallots }: VotingRateLimits,
  counts: SharedCounts,
  viewers: Viewers,
): void {
  const failedBy = (request: FastifyRequest) => `failed ballots of ${callerAddress(request)}`;
  server.addHook('onRequest', async request => {
    if (!request.routeOptions.config.takesBallots) return;
    hold(counts.read(failedBy(request)), failedBallots - 1);
    const viewer = await viewers.find(request);
    if (viewer) hold(counts.add(`ballots of ${viewer.voter}`, ballots), ballots);
  });
  server.addHook('onResponse', async (request, { statusCode }) => {
    if (request.routeOptions.config.takesBallots && (statusCode === 400 || statusCode === 403))
      counts.add(failedBy(request), failedBallots);
  });
}

function hold({ current, ttl }: Counted, max: number): void {
  if (current > max) throw tooMany(ttl);
}

type Done = Parameters<FastifyRateLimitStore['incr']>[1];
/** As the plugin builds it; its types do not say so. */
type RouteParams = { readonly routeInfo?: Pick<RouteOptions, 'method' | 'url'> };

/** What the plugin keeps its counts in; each route has a store, and so an allowance, of its own. */
function storeOf(counts: SharedCounts): FastifyRateLimitStoreCtor {
  return class Store implements FastifyRateLimitStore {
    readonly #route: string;

    constructor({ routeInfo }: RouteParams) {
      this.#route = `${routeInfo?.method} ${routeInfo?.url}`;
    }

    incr(key: string, done: Done, _windowMs: number, max: number): void {
      done(null, counts.add(`${this.#route} ${key}`, max));
    }

    child(options: object): Store {
      return new Store(options as RouteParams);
    }
  };
}

/** A poll of 100 answers of 200 characters with a long description, all percent-encoded. */
export const LARGE_BODY_BYTES = 512 * 1024;
/** Forms that are not about creating a poll: a hundred answers, a solved check and a name fit in twice. */
const SMALL_BODY_BYTES = 32 * 1024;

/** Options of a route that one address may ask for so often; each route has an allowance of its own. */
export function limited(
  limits: VotingRateLimits,
  kind: Exclude<keyof VotingRateLimits, 'streams' | 'failedBallots'>,
): { readonly bodyLimit: number; readonly config: FastifyContextConfig } {
  const bodyLimit = kind === 'creates' ? LARGE_BODY_BYTES : SMALL_BODY_BYTES;
  if (kind === 'ballots') return { bodyLimit, config: { takesBallots: true } };
  return { bodyLimit, config: { rateLimit: { max: limits[kind], timeWindow: WINDOW_MS } } };
}
