import type { Engine } from '../engine/engine.ts';
import type { SharedCounts } from '../http/shared-counts.ts';
import type { PollId, Reading } from '../poll/poll.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';

/** What the REST operations stand on. */
export interface ApiOptions {
  readonly engine: Engine;
  /** The results now. Reads of one poll that come together may share one of the engine. */
  readonly readPoll: (id: PollId) => Promise<Reading | undefined>;
  /** The results within the last second, where they are public; otherwise as `readPoll`. */
  readonly readRecentPoll: (id: PollId) => Promise<Reading | undefined>;
  readonly isOperatorKey: IsOperatorKey;
  readonly createRequiresKey: boolean;
  /** Voters cannot sign in: polls for those who have signed in are refused. */
  readonly lacksSignIn: boolean;
  /** Polls that one address may create in a minute. */
  readonly createPerMinute: number;
  /** Changes of polls and shows that one address may make in a minute. */
  readonly changesPerMinute: number;
  /** Creations and changes that one operator's key may make in a minute. */
  readonly operatorPerMinute: number;
  readonly counts: SharedCounts;
  /** Bytes that one address may have stored in a day by creating. */
  readonly createBytesPerDay: number;
  /** Milliseconds for which a poll without a ballot is kept; undefined keeps it as any other. */
  readonly emptyPollMs: number | undefined;
  /** UNIX time in milliseconds. */
  readonly clock: () => number;
  /** Origins for the links in replies, without a slash at the end. */
  readonly relayUrl: string;
  readonly voteUrl: string;
}
