import type { PollLogs } from '../audit/poll-logs.ts';
import type { AnnouncedEngine } from '../events/with-events.ts';
import type { FairTurns } from '../http/fair-turns.ts';
import type { MinuteCounts } from '../http/rate-limit.ts';
import type { PollId, Reading } from '../poll/poll.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';
import type { Stills } from '../still/stills.ts';

/** What a relay reads of `Settings` in start/config.ts. */
export interface RelaySettings {
  readonly createRequiresKey: boolean;
  /** No sign-in provider is configured, so polls with `only_reg` are rejected. */
  readonly lacksSignIn: boolean;
  /** Channels that all shows together may link for votes from chat. */
  readonly chatChannels: number;
  /** Whose key links them. */
  readonly chatLink: 'show' | 'operator';
  /** Webhooks may have private addresses. */
  readonly webhookPrivateAddresses: boolean;
  /** Origins whose pages may write; `*` is every origin. */
  readonly corsOrigins: readonly string[];
  /** Polls and shows that one address may create in a minute. */
  readonly createPerMinute: number;
  /** Bytes that one address may store in a day by creating; 0 is no limit. */
  readonly createBytesPerDay: number;
  /** Days for which a poll without ballots, or a show without polls, is kept; 0 keeps it like any other. */
  readonly emptyPollDays: number;
  readonly emptyShowDays: number;
  /** Changes of polls and shows that one address may make in a minute. */
  readonly changesPerMinute: number;
  /** Creations and changes that one operator key may make in a minute. */
  readonly operatorPerMinute: number;
  /** Live connections of one address. */
  readonly maxConnectionsPerAddress: number;
  /** Addresses or CIDR ranges of trusted proxies. */
  readonly trustProxy: readonly string[] | undefined;
  /** Write frames directly to sockets, past the streams of Node.js. */
  readonly directWrites: boolean;
  /** With metrics, requests are counted by route. */
  readonly metricsPort: number | undefined;
  /** The servers as browsers reach them, without a trailing slash. */
  readonly relayUrl: string;
  readonly voteUrl: string;
}

/** What all routes of the REST API depend on. */
export interface ApiOptions extends RelaySettings {
  readonly engine: AnnouncedEngine;
  readonly logs: PollLogs;
  /** The results now. Concurrent reads of one poll may share one read of the engine. */
  readonly readPoll: (id: PollId) => Promise<Reading | undefined>;
  /** Results up to a second old if they are public; otherwise as `readPoll`. */
  readonly readRecentPoll: (id: PollId) => Promise<Reading | undefined>;
  /** The bytes of an answer's image, from a cache; undefined if the poll has no such file. */
  readonly findPollImage: (id: PollId, file: string) => Promise<Buffer | undefined>;
  readonly stills: Stills;
  readonly isOperatorKey: IsOperatorKey;
  /** For replies that take more than a millisecond. */
  readonly turns: FairTurns;
  readonly counts: MinuteCounts;
  /** UNIX time in milliseconds. */
  readonly clock: () => number;
  /** For tests: milliseconds for which a change of a show settles. */
  readonly settleMs?: number | undefined;
}
