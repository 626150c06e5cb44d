import type { FastifyReply } from 'fastify';
import { type SharedCounts, WINDOW_MS } from './shared-counts.ts';

/** What somebody may ask for in a minute, or hold open at a time. */
export interface Allowance {
  /** For whoever reads the headers: of constant letters, and nothing of a caller's. */
  readonly name: string;
  readonly max: number;
}

/** More was asked for than is allowed. Each server says it in its own words, with status 429. */
export type TooMany = (retryAfterSeconds: number) => Error;

const WINDOW_SECONDS = WINDOW_MS / 1_000;

/**
 * Counts a request of somebody's, and tells in the reply's headers what is left.
 *
 * @param caller who asks, and for what: where it is a key or an address, nobody else ever learns it
 * @returns undefined, or the refusal
 */
export function takeOne(
  reply: FastifyReply,
  counts: SharedCounts,
  caller: string,
  allowance: Allowance,
  tooMany: TooMany,
): Error | undefined {
  const { current, ttl } = counts.add(caller, allowance.max);
  const resetSeconds = secondsUntil(ttl);
  writeAllowance(reply, allowance, allowance.max - current, resetSeconds, WINDOW_SECONDS);
  return current > allowance.max ? tooMany(resetSeconds) : undefined;
}

/** Whole seconds, and never none: who comes back at once is refused again. */
export function secondsUntil(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs / 1_000));
}

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers-11, and beside them the three that came before, which more clients read.
 *
 * @param resetSeconds after which there is more again
 * @param windowSeconds left out where not requests in a time are counted, but what is open at a time
 */
export function writeAllowance(
  reply: FastifyReply,
  { name, max }: Allowance,
  left: number,
  resetSeconds: number,
  windowSeconds?: number,
): void {
  const remaining = Math.max(0, left);
  reply.headers({
    'ratelimit-policy': `"${name}";q=${max}${windowSeconds === undefined ? '' : `;w=${windowSeconds}`}`,
    ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
    'ratelimit-limit': max,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  });
}
