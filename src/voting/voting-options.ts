import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import type { EarlyServer } from '../http/early-server.ts';
import type { VotingRateLimits } from './guard/rate-limit.ts';
import type { RemoteCheckOptions } from './human-check/remote-check.ts';
import type { OidcOptions } from './sign-in/sign-in.ts';

/** Everything the voting front end is told from outside. It reads no environment. */
export interface VotingOptions {
  readonly engine: Engine;
  /** Left out: nothing is logged. */
  readonly logger?: FastifyBaseLogger | undefined;
  /** Listens already. */
  readonly early?: EarlyServer | undefined;
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
  /** Work of the human check: a browser needs 256 times so many iterations of PBKDF2 on average. */
  readonly proofCost?: number | undefined;
  readonly rateLimits?: Partial<VotingRateLimits> | undefined;
  /** Counts requests by route, for whoever scrapes. */
  readonly countsRequests?: boolean | undefined;
  readonly createRequiresKey?: boolean | undefined;
  /** Bytes that one address may have stored in a day by creating; default 20,000,000. */
  readonly createBytesPerDay?: number | undefined;
  /** Days for which a poll without a ballot, or a show without a poll, is kept; left out or 0, as long as any other. */
  readonly emptyPollDays?: number | undefined;
  readonly emptyShowDays?: number | undefined;
  /** Keys of the settings, which are good for everything, beside those in the engine. */
  readonly operatorKeys?: readonly string[] | undefined;
  /** UNIX time in milliseconds, for everything but deadlines: those go by the engine's clock. */
  readonly clock?: (() => number) | undefined;
}
