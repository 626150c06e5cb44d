import type { Audience } from '../engine/audience.ts';
import { FollowedTopics } from '../engine/followed-topics.ts';
import type { Revision } from '../engine/polls.ts';
import { cacheReads, coalesceReads, type Read } from '../engine/shared-read.ts';
import type { PollSource } from '../engine/with-rehearsal.ts';
import { subscribers, watchedPolls } from '../metrics/catalogue.ts';
import type { PollId } from '../poll/poll.ts';
import { isEngineUnavailable } from '../poll/poll-error.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';
import type { Connection } from './connection.ts';
import { READ_INTERVAL_MS } from './pending-subscriptions.ts';
import { PollChannel, type ReportError } from './poll-channel.ts';
import type { ShowKeys } from './show-key.ts';
import type { Subscription, SubscriptionOptions } from './subscription.ts';

/** The smallest age that a reader may allow. */
const RECENT_MS = 1_000;

export interface HubOptions {
  readonly engine: PollSource;
  readonly isOperatorKey: IsOperatorKey;
  /** For polls that belong to a show; without it none does. */
  readonly showKeys?: ShowKeys | undefined;
  /** Without it, faults of this program pass silently. */
  readonly onError?: ReportError | undefined;
}

const NO_SHOW_KEYS: ShowKeys = { findKey: async () => undefined, followKey: () => () => {} };

/** The polls that are watched from this process. */
export class Hub {
  /** Reads a poll as fresh as a read of one's own, shared by all calls in the same turn. */
  readonly read: Read;
  /** Reads what was true within the last second, at most once a second and poll. */
  readonly readRecent: Read;
  /** As fresh as `read`, at most once in 20 ms and poll: for streams of events that open together. */
  readonly readForStream: Read;
  readonly #options: HubOptions;
  readonly #onError: ReportError;
  readonly #channels: FollowedTopics<PollChannel, Revision | undefined>;
  readonly #endGauges: readonly (() => void)[];

  constructor(options: HubOptions) {
    const { hints, polls } = options.engine;
    this.#options = options;
    this.#onError = options.onError ?? (() => {});
    const find = (id: PollId) => polls.find(id);
    this.read = coalesceReads(find);
    this.readRecent = cacheReads(this.read, RECENT_MS);
    this.readForStream = coalesceReads(find, READ_INTERVAL_MS);
    this.#channels = new FollowedTopics({
      hints,
      topicOf: id => id,
      findMarks: ids => polls.findRevisions(ids),
      onError: error => isEngineUnavailable(error) || this.#onError(error, 'hub.sweep'),
    });
    this.#endGauges = [
      watchedPolls.read(() => [[{}, this.#channels.topics.filter(({ isEmpty }) => !isEmpty).length]]),
      subscribers.read(() => [[{}, this.#channels.topics.reduce((sum, { size }) => sum + size, 0)]]),
    ];
  }

  /** @returns the subscription, whose first message comes soon; call `leave()` once the connection is closed */
  subscribe(id: PollId, options: SubscriptionOptions, connection: Connection): Subscription {
    return this.#channel(id).subscribe(options, connection);
  }

  /** How many screens of this process watch which poll. */
  get audience(): Audience {
    const watched = this.#channels.topics.filter(({ audience }) => audience > 0);
    return new Map(watched.map(({ id, audience }) => [id, audience]));
  }

  /** The operator's keys have changed: subscriptions with a revoked key end. */
  reauthorize(): void {
    for (const channel of this.#channels.topics) channel.reauthorize();
  }

  close(): void {
    for (const end of this.#endGauges) end();
    this.#channels.close();
  }

  #channel(id: PollId): PollChannel {
    const { isOperatorKey, showKeys = NO_SHOW_KEYS } = this.#options;
    const { read } = this;
    const onError = this.#onError;
    return this.#channels.follow(
      id,
      ready => new PollChannel({ id, ready, read, isOperatorKey, showKeys, onError }),
    );
  }
}
