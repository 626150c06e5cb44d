import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';

/** Everything the voting front end is told from outside. It reads no environment. */
export interface VotingOptions {
  readonly engine: Engine;
  /** Left out: nothing is logged. */
  readonly logger?: FastifyBaseLogger | undefined;
  /** Origin of the relay as browsers reach it, like `https://relay.example`. */
  readonly publicUrl: string;
  /** Origin of this front end as browsers reach it. */
  readonly votePublicUrl: string;
  /** CIDR ranges of the proxies whose forwarding headers are believed. Left out: none are. */
  readonly trustProxy?: readonly string[] | undefined;
  /** One CIDR range a line, `#` begins a comment. Read again when it changes. */
  readonly vpnListFile?: string | undefined;
  readonly oidc?: OidcOptions | undefined;
  /** At most one of the two; left out, the proof of work is the human check. */
  readonly turnstile?: RemoteCheckOptions | undefined;
  readonly hcaptcha?: RemoteCheckOptions | undefined;
  /** PBKDF2 iterations of one try; a browser needs 256 tries on average. */
  readonly proofCost?: number | undefined;
  readonly rateLimits?: Partial<VotingRateLimits> | undefined;
  readonly createRequiresKey?: boolean | undefined;
  readonly isOperatorKey?: IsOperatorKey | undefined;
  /** UNIX time in milliseconds, for everything but deadlines: those go by the engine's clock. */
  readonly clock?: (() => number) | undefined;
}

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What people call the provider: "Sign in with ...". */
  readonly name: string;
}

export interface RemoteCheckOptions {
  readonly siteKey: string;
  readonly secret: string;
  /** Where tokens are verified; only a test sets it. */
  readonly verifyUrl?: string | undefined;
}

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

/**
 * Measured: 0.3 ms of a server's core to set, a hash to check, 70 ms of a desktop to solve (median), and 0.7 s where a browser
 * offers no cryptography because there is no HTTPS. A phone takes several times as long, while its owner reads.
 */
export const PROOF_COST = 1_000;
