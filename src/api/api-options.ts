import type { Engine } from '../engine/engine.ts';
import type { SharedCounts } from '../http/rate-limit.ts';
import type { PollId, Reading } from '../poll/poll.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';

/** The settings of a relay. Their defaults are in start/config.ts. */
export interface RelaySettings {
  /** Keys of the settings, which are good for everything, beside those in the engine. */
  readonly operatorKeys: readonly string[];
  readonly createRequiresKey: boolean;
  /** Voters cannot sign in, so that polls with `only_reg` are refused. */
  readonly lacksSignIn: boolean;
  /** Origins whose pages may create; `*` is every origin. */
  readonly corsOrigins: readonly string[];
  /** Polls that one address may create in a minute. */
  readonly createPerMinute: number;
  /** Bytes that one address may have stored in a day by creating. */
  readonly createBytesPerDay: number;
  /** Days for which a poll without a ballot, or a show without a poll, is kept; 0 keeps it as any other. */
  readonly emptyPollDays: number;
  readonly emptyShowDays: number;
  /** Changes of polls and shows that one address may make in a minute. */
  readonly changesPerMinute: number;
  /** Creations and changes that one operator's key may make in a minute. */
  readonly operatorPerMinute: number;
  /** Live connections of one address. */
  readonly maxConnectionsPerAddress: number;
  /** Addresses or CIDR ranges of trusted proxies. */
  readonly trustProxy: readonly string[] | undefined;
  /** Frames go past the streams of sockets. Without, only public parts of Node.js are used. */
  readonly directWrites: boolean;
  /** Counts requests by route for the metrics. */
  readonly countsRequests: boolean;
  /** Origins as browsers reach them, without a slash at the end. */
  readonly relayUrl: string;
  readonly voteUrl: string;
}

/** What the REST operations stand on. */
export interface ApiOptions extends RelaySettings {
  readonly engine: Engine;
  /** The results now. Reads of one poll that come together may share one of the engine. */
  readonly readPoll: (id: PollId) => Promise<Reading | undefined>;
  /** The results within the last second, where they are public; otherwise as `readPoll`. */
  readonly readRecentPoll: (id: PollId) => Promise<Reading | undefined>;
  readonly isOperatorKey: IsOperatorKey;
  readonly counts: SharedCounts;
  /** UNIX time in milliseconds. */
  readonly clock: () => number;
}
