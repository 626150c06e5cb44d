import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { callerAddress } from '../../http/address-group.ts';
import { type Allowance, secondsUntil, takeOne } from '../../http/rate-limit.ts';
import type { SharedCounts } from '../../http/shared-counts.ts';
import type { Viewers } from '../voter/viewer.ts';
import { Refusal } from './refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    takesBallots?: boolean;
    /** Of one address in a minute; each route has one of its own. */
    allowance?: Allowance;
  }
}

/** A minute, of one address (IPv6: one /64) where nothing else is said. A school, a hall or a carrier's network is one address. */
export interface VotingRateLimits {
  /** Against a flood; a crowd of people is no flood, and is bent by the lines in front of the server. */
  readonly pages: number;
  /** Questions of open pages of shows, each of which waits for its answer. */
  readonly waits: number;
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
  // Of 20,000 pages, as many as one server lets wait: each asks every 15 s, and once more after a switch.
  waits: 120_000,
  ballots: 60,
  failedBallots: 600,
  comments: 10,
  creates: 60,
  keys: 20,
  streams: 500,
};

/** Counts what each route lets one address ask for. */
export function addRateLimits(server: FastifyInstance, counts: SharedCounts): void {
  server.addHook('onClose', async () => counts.close());
  server.addHook('onRequest', (request, reply, done) => {
    const { config, method, url } = request.routeOptions;
    const { allowance } = config;
    const caller = () => `${method} ${url} ${callerAddress(request)}`;
    done(allowance && takeOne(reply, counts, caller(), allowance, tooMany));
  });
}

function tooMany(retryAfterSeconds: number): Refusal {
  return new Refusal('rate_limited', { retryAfterSeconds });
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
  server.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.config.takesBallots) return;
    const failed = counts.read(failedBy(request));
    if (failed.current >= failedBallots) throw tooMany(secondsUntil(failed.ttl));
    const viewer = await viewers.find(request);
    const allowance = { name: 'ballots', max: ballots };
    const refusal = viewer && takeOne(reply, counts, `ballots of ${viewer.voter}`, allowance, tooMany);
    if (refusal) throw refusal;
  });
  server.addHook('onResponse', async (request, { statusCode }) => {
    if (request.routeOptions.config.takesBallots && (statusCode === 400 || statusCode === 403))
      counts.add(failedBy(request), failedBallots);
  });
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
  return { bodyLimit, config: { allowance: { name: kind, max: limits[kind] } } };
}
