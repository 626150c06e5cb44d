import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import type { EventStreams } from '../http/event-stream.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';
import type { HumanCheck } from './guard/human-check.ts';
import type { PageAssets } from './page/page-assets.ts';
import type { SignIn } from './sign-in/sign-in.ts';
import type { CookieJar } from './voter/cookie-jar.ts';
import type { ReadSecret } from './voter/voting-secret.ts';
import type { VpnList } from './voter/vpn-list.ts';
import type { VotingRateLimits } from './voting-options.ts';

/** What the rooms of the voting front end share. Built once, in `voting-server.ts`. */
export interface VotingFront {
  readonly engine: Engine;
  readonly log: FastifyBaseLogger;
  readonly clock: () => number;
  readonly secret: ReadSecret;
  readonly assets: PageAssets;
  readonly cookies: CookieJar;
  readonly streams: EventStreams;
  readonly humanCheck: HumanCheck;
  readonly vpnList: VpnList | undefined;
  readonly signIn: SignIn | undefined;
  readonly isOperatorKey: IsOperatorKey;
  readonly createRequiresKey: boolean;
  readonly limits: VotingRateLimits;
  /** Origin of the relay, without a slash at the end. */
  readonly relayUrl: string;
  /** Origin of this front end, without a slash at the end. */
  readonly voteUrl: string;
}

/** A poll's id in a path; anything else of that length is no poll's. */
export const POLL_PATH = '/:id(^[0-9A-Za-z]{12}$)';

export interface PollParams {
  readonly Params: { readonly id: string };
}
