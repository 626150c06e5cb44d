import type { Audience } from '../engine/audience.ts';
import { FollowedTopics } from '../engine/followed-topics.ts';
import type { Revision } from '../engine/polls.ts';
import { keepReads, type Read, shareReads } from '../engine/shared-read.ts';
import type { PollSource } from '../engine/with-rehearsal.ts';
import { subscribers, watchedPolls } from '../metrics/catalogue.ts';
import type { PollId } from '../poll/poll.ts';
import { isEngineUnavailable } from '../poll/poll-error.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';
import { NEWCOMERS_REST_MS } from './pending-subscriptions.ts';
import { type ReportError, WatchedPoll } from './poll-channel.ts';
import type { OwnerKeys } from './show-key.ts';
import type { Interest, Seat, Subscriber } from './subscription.ts';

/** The least age that a reader may allow. */
const RECENT_MS = 1_000;

export interface HubOptions {
  readonly engine: PollSource;
  readonly isOperatorKey: IsOperatorKey;
  /** Of polls that belong to a show; left out, none of them does. */
  readonly owners?: OwnerKeys | undefined;
  /** Left out, faults of this program pass in silence. */
  readonly onError?: ReportError | undefined;
}

const NO_OWNERS: OwnerKeys = { findKey: async () => undefined, followKey: () => () => {} };

/** In one process: which poll is watched by whom. */
export class Hub {
  /** Reads a poll as fresh as a read of one's own, shared with all who ask in the same turn. */
  readonly read: Read;
  /** Reads what was true within the last second: however many ask, once a second and poll. */
  readonly readRecent: Read;
  /** As fresh as `read`, for those who open a stream of events: at most once a tick and poll, so that those who come together share it. */
  readonly readForNewcomer: Read;
  readonly #options: HubOptions;
  readonly #onError: ReportError;
  readonly #polls: FollowedTopics<WatchedPoll, Revision | undefined>;
  readonly #endReading: readonly (() => void)[];

  constructor(options: HubOptions) {
    const { hints, polls } = options.engine;
    this.#options = options;
    this.#onError = options.onError ?? (() => {});
    const find = (id: PollId) => polls.find(id);
    this.read = shareReads(find);
    this.readRecent = keepReads(this.read, RECENT_MS);
    this.readForNewcomer = shareReads(find, NEWCOMERS_REST_MS);
    this.#polls = new FollowedTopics({
      hints,
      topicOf: id => id,
      findMarks: ids => polls.findRevisions(ids),
      onError: error => isEngineUnavailable(error) || this.#onError(error, 'hub.sweep'),
    });
    this.#endReading = [
      watchedPolls.read(() => [[{}, this.#polls.topics.filter(({ isEmpty }) => !isEmpty).length]]),
      subscribers.read(() => [[{}, this.#countSeats()]]),
    ];
  }

  /** @returns the seat at the poll, which is handed its first message soon; leave it when nobody listens any more */
  subscribe(id: PollId, interest: Interest, subscriber: Subscriber): Seat {
    return this.#watched(id).subscribe(interest, subscriber);
  }

  /** Who watches which poll from this process. */
  get audience(): Audience {
    const watched = this.#polls.topics.filter(({ audience }) => audience > 0);
    return new Map(watched.map(({ id, audience }) => [id, audience]));
  }

  /** The operator has other keys now: who came with one that is none any more has to go. */
  judgeAnew(): void {
    for (const watched of this.#polls.topics) watched.judgeAnew();
  }

  close(): void {
    for (const end of this.#endReading) end();
    this.#polls.close();
  }

  #countSeats(): number {
    let seats = 0;
    for (const poll of this.#polls.topics) seats += poll.size;
    return seats;
  }

  #watched(id: PollId): WatchedPoll {
    const { isOperatorKey, owners = NO_OWNERS } = this.#options;
    const { read } = this;
    const onError = this.#onError;
    return this.#polls.follow(
      id,
      ready => new WatchedPoll({ id, ready, read, isOperatorKey, owners, onError }),
    );
  }
}
