import { type Audience, pagesOf, screensOf } from '../engine/audience.ts';
import type { Revision } from '../engine/engine.ts';
import { FollowedTopics } from '../engine/followed-topics.ts';
import { notFound, wasDeleted } from '../engine/not-found.ts';
import { cacheReads, coalesceReads, type Read } from '../engine/shared-read.ts';
import type { PollSource } from '../engine/with-rehearsal.ts';
import { subscribers, watchedPolls } from '../metrics/catalogue.ts';
import type { PollId } from '../poll/poll.ts';
import { isEngineUnavailable, type PollError } from '../poll/poll-error.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';
import type { Connection } from './connection.ts';
import { PollChannel, type ReportError, type ShowKeys } from './poll-channel.ts';
import { READ_INTERVAL_MS, type Subscription, type SubscriptionOptions } from './subscription.ts';

const RECENT_MS = 1_000;

export interface HubOptions {
  readonly engine: PollSource;
  readonly isOperatorKey: IsOperatorKey;
  /** Left out: no poll belongs to a show. */
  readonly showKeys?: ShowKeys | undefined;
  readonly onError?: ReportError | undefined;
}

const NO_SHOW_KEYS: ShowKeys = { findKey: async () => undefined, followKey: () => () => {} };

/** The polls that have subscribers in this process. */
export class Hub {
  /** Reads a poll. Calls in the same turn of the event loop share a read. */
  readonly read: Read;
  /** Reads a poll at most once a second. */
  readonly readRecent: Read;
  /** As fresh as `read`, at most once in 20 ms and poll: for event streams that open together. */
  readonly readForStream: Read;
  readonly #options: HubOptions;
  readonly #onError: ReportError;
  readonly #channels: FollowedTopics<PollChannel, Revision | undefined>;
  readonly #screens = new Map<string, number>();
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

  /** Sends the first message soon. Call `leave()` on the result when the connection is closed. */
  subscribe(id: PollId, options: SubscriptionOptions, connection: Connection): Subscription {
    return this.#channel(id).subscribe(options, connection);
  }

  /** Counts a screen that follows a show. @param id the poll that it watches for the show; null for none */
  countScreen(show: string, id: PollId | null, change: 1 | -1): void {
    const name = screensOf(show, id);
    const count = (this.#screens.get(name) ?? 0) + change;
    if (count > 0) this.#screens.set(name, count);
    else this.#screens.delete(name);
  }

  notFound(id: PollId): Promise<PollError> {
    return notFound(this.#options.engine, 'poll_not_found', id);
  }

  get audience(): Audience {
    const counts = this.#channels.topics.flatMap(({ id, screens, pages }): [string, number][] => [
      [id, screens],
      [pagesOf(id), pages],
    ]);
    return new Map([...counts.filter(([, count]) => count > 0), ...this.#screens]);
  }

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
    const isDeleted = () => wasDeleted(this.#options.engine, id);
    return this.#channels.follow(
      id,
      ready => new PollChannel({ id, ready, read, isDeleted, isOperatorKey, showKeys, onError }),
    );
  }
}
