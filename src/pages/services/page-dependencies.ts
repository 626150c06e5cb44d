import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import type { EventStreams } from '../../http/event-stream.ts';
import type { FairTurns } from '../../http/fair-turns.ts';
import type { ByteBudget, MinuteCounts } from '../../http/rate-limit.ts';
import type { KeyRing } from '../../show/key-ring.ts';
import type { ShowBoard } from '../../show/show-board.ts';
import type { KnownPolls } from '../guard/known-polls.ts';
import type { VotingRateLimits } from '../guard/rate-limit.ts';
import type { HumanCheck } from '../human-check/human-check.ts';
import type { PreparePage, SendPage } from '../page/page.ts';
import type { CookieJar } from '../voter/cookie-jar.ts';
import type { Viewers } from '../voter/viewer.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import type { IsVpn } from '../voter/vpn-list.ts';

/** What the pages of one voting front end share. */
export interface PageDependencies {
  readonly engine: Engine;
  readonly polls: KnownPolls;
  readonly shows: ShowBoard;
  readonly operators: KeyRing;
  readonly viewers: Viewers;
  readonly secret: ReadSecret;
  readonly cookies: CookieJar;
  readonly humanCheck: HumanCheck;
  /** Whether an address is in the operator's list of VPNs. */
  readonly isVpn: IsVpn;
  /** Whether an OpenID provider is configured, and its name on pages. */
  readonly signInReady: boolean;
  readonly signInName: string | undefined;
  /** Whether creating needs an operator's key. */
  readonly createRequiresKey: boolean;
  /** Milliseconds until a poll without a ballot is deleted; undefined for the retention of all polls. */
  readonly emptyPollMs: number | undefined;
  /** Days after which a show without polls is deleted; 0 for never. */
  readonly emptyShowDays: number;
  readonly streams: EventStreams;
  readonly limits: VotingRateLimits;
  readonly counts: MinuteCounts;
  readonly budget: ByteBudget;
  readonly turns: FairTurns;
  readonly sendPage: SendPage;
  readonly preparePage: PreparePage;
  /** Addresses of the relay and of this front end, as browsers reach them, without a slash at the end. */
  readonly relayUrl: string;
  readonly voteUrl: string;
  readonly log: FastifyBaseLogger;
  /** UNIX time in milliseconds. Deadlines use the engine's clock. */
  readonly clock: () => number;
}
