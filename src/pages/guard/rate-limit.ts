import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { callerAddress, rawCaller, trustedProxies } from '../../http/caller.ts';
import { type MinuteCounts, takeOne } from '../../http/rate-limit.ts';
import { refusals } from '../../metrics/catalogue.ts';
import type { CookieJar } from '../voter/cookie-jar.ts';
import { newVoter, type Viewers, VOTER_SECONDS } from '../voter/viewer.ts';
import type { ReadSecret, VotingSecret } from '../voter/voting-secret.ts';
import { Rejection } from './rejection.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What limits the requests of a minute to this route. Default: `pages`. */
    allowance?: 'pages' | 'ballots' | 'comments' | 'creates' | 'none';
    /** An address is a whole hall: only what needs no proof of a visitor counts by it. Default: `voter`. */
    countsBy?: 'voter' | 'address';
  }
}

/**
 * Limits of a process per minute, unless stated otherwise. A school, a hall or a carrier's network
 * is one address (IPv6: one /64).
 */
export interface VotingRateLimits {
  /** Requests per second of one address without a sealed voter cookie: see `CookieGate`. */
  readonly newcomers: number;
  readonly pages: number;
  readonly ballots: number;
  readonly comments: number;
  readonly creates: number;
  /** Wrong keys of one address. */
  readonly keys: number;
  /** Open streams of one voter, or of one address without a sealed voter cookie. */
  readonly streams: number;
}

export const FIXED_LIMITS = { keys: 20, streams: 500 } as const satisfies Partial<VotingRateLimits>;

/** A poll of 100 answers of 200 characters with a long description, all percent-encoded. */
export const LARGE_BODY_BYTES = 512 * 1024;
/** Twice a hundred answers, a solved check and a name. */
const SMALL_BODY_BYTES = 32 * 1024;

/**
 * Counts a wrong key of an address. The right one is not counted, because it proves more than an
 * address: neighbors cannot block it.
 *
 * @throws Rejection `rate_limited`
 */
export function countWrongKey(
  request: FastifyRequest,
  counts: MinuteCounts,
  { keys }: VotingRateLimits,
): void {
  const { current, ttl } = counts.add(`wrong key ${callerAddress(request)}`);
  if (current > keys) throw tooMany(Math.ceil(ttl / 1_000));
}

const tooMany = (retryAfterSeconds: number) => new Rejection('rate_limited', { retryAfterSeconds });

interface RateLimitOptions {
  readonly counts: MinuteCounts;
  readonly viewers: Viewers;
  readonly limits: VotingRateLimits;
}

/** Limits requests and bodies of each route that is registered after it. */
export const rateLimits = plugin(async (server: FastifyInstance, options: RateLimitOptions) => {
  const { counts, viewers, limits } = options;
  server.addHook('onRoute', route => {
    route.bodyLimit ??= SMALL_BODY_BYTES;
    route.config = { allowance: 'pages', countsBy: 'voter', ...route.config };
  });
  server.addHook('onRequest', async (request, reply) => {
    const { config, method, url } = request.routeOptions;
    const { allowance = 'none', countsBy } = config;
    if (allowance === 'none') return;
    const caller = countsBy === 'voter' ? (await viewers.find(request))?.voter : callerAddress(request);
    // `CookieGate` limits requests without a voter cookie.
    if (caller === undefined) return;
    const limit = { name: allowance, max: limits[allowance] };
    const rejection = takeOne(reply, counts, `${method} ${url} ${caller}`, limit, tooMany);
    if (rejection) throw rejection;
  });
});

interface CookieGateOptions {
  readonly secret: ReadSecret;
  readonly cookies: CookieJar;
  readonly trustProxy: readonly string[] | undefined;
  readonly newcomers: number;
}

/**
 * Limits requests without a sealed voter cookie by address, as SYN cookies limit handshakes: above
 * the limit such a request only gets the cookie and is to be repeated with it. Requests with a
 * sealed cookie always pass, so one address cannot block its voters.
 */
export class CookieGate {
  readonly #options: CookieGateOptions;
  readonly #isTrusted: (text: string) => boolean;
  readonly #counts = new Map<string, number>();
  #second = 0;
  #secret: VotingSecret | undefined;

  constructor(options: CookieGateOptions) {
    this.#options = options;
    this.#isTrusted = trustedProxies(options.trustProxy ?? []);
  }

  /**
   * Counts a request.
   *
   * @returns the voter of its sealed cookie; `setCookie`, a header to reply with, if it does not
   *   pass
   */
  check(request: IncomingMessage, nowMs: number): { voter?: string; setCookie?: string } {
    const { cookies, newcomers } = this.#options;
    const secret = this.#secret;
    if (!secret) {
      // Without the engine no seal can be checked, and no handler can do work either.
      const keep = (read: VotingSecret) => {
        this.#secret = read;
      };
      this.#options.secret().then(keep, () => {});
      return {};
    }
    const voter = secret.unseal('voter', cookies.readVoter(request.headers));
    if (voter !== undefined) return { voter };
    const address = callerAddress(rawCaller(request, this.#isTrusted));
    if (this.#count(address, nowMs) <= newcomers) return {};
    refusals.of({ surface: 'voting', code: 'voter_cookie_missing' }).value += 1;
    return { setCookie: cookies.voterHeader(secret.seal('voter', newVoter()), VOTER_SECONDS) };
  }

  #count(address: string, nowMs: number): number {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(address) ?? 0) + 1;
    this.#counts.set(address, count);
    return count;
  }
}
