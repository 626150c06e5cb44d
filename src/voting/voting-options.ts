import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import type { FIXED_LIMITS, VotingRateLimits } from './guard/rate-limit.ts';
import type { RemoteCheckOptions } from './human-check/remote-check.ts';
import type { OidcOptions } from './sign-in/sign-in.ts';

/** The settings of the voting front end. Their defaults are in start/config.ts. */
export interface VotingSettings {
  /** Origin of the relay as browsers reach it, like `https://relay.example`. */
  readonly publicUrl: string;
  /** Origin of this front end as browsers reach it. */
  readonly votePublicUrl: string;
  /** CIDR ranges of the proxies whose forwarding headers are believed. */
  readonly trustProxy: readonly string[] | undefined;
  /** One CIDR range a line, `#` begins a comment. Read again when it changes. */
  readonly vpnListFile: string | undefined;
  readonly oidc: OidcOptions | undefined;
  /** At most one of the two; without one, the proof of work is the human check. */
  readonly turnstile: RemoteCheckOptions | undefined;
  readonly hcaptcha: RemoteCheckOptions | undefined;
  /** Work of the human check: a browser needs 256 times so many iterations of PBKDF2 on average. */
  readonly proofCost: number;
  readonly rateLimits: Partial<VotingRateLimits> & Omit<VotingRateLimits, keyof typeof FIXED_LIMITS>;
  /** Counts requests by route for the metrics. */
  readonly countsRequests: boolean;
  readonly createRequiresKey: boolean;
  /** Bytes that one address may have stored in a day by creating. */
  readonly createBytesPerDay: number;
  /** Days for which a poll without a ballot, or a show without a poll, is kept; 0 keeps it as any other. */
  readonly emptyPollDays: number;
  readonly emptyShowDays: number;
  /** Keys of the settings, which are good for everything, beside those in the engine. */
  readonly operatorKeys: readonly string[];
}

/** Everything the voting front end gets from outside. It reads no environment. */
export interface VotingOptions extends VotingSettings {
  readonly engine: Engine;
  /** Left out: nothing is logged. */
  readonly logger?: FastifyBaseLogger | undefined;
  /** UNIX time in milliseconds, for everything but deadlines: those go by the engine's clock. */
  readonly clock?: (() => number) | undefined;
}
