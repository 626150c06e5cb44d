import type { Engine } from '../engine/engine.ts';
import { FollowedTopics } from '../engine/followed-topics.ts';
import type { Revision } from '../engine/polls.ts';
import type { PollId, Reading } from '../poll/poll.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';
import { shareReads } from './shared-read.ts';
import type { Subscriber } from './subscriber.ts';
import { WatchedPoll } from './watched-poll.ts';

export interface HubOptions {
  readonly engine: Engine;
  readonly isOperatorKey: IsOperatorKey;
}

/** In one process: which poll is watched by which subscribers. */
export class Hub {
  /** Reads a poll as fresh as a read of one's own, shared with all who ask in the same turn. */
  readonly read: (id: PollId) => Promise<Reading | undefined>;
  readonly #options: HubOptions;
  readonly #polls: FollowedTopics<WatchedPoll, Revision | undefined>;

  constructor(options: HubOptions) {
    const { hints, polls } = options.engine;
    this.#options = options;
    this.read = shareReads(id => polls.find(id));
    this.#polls = new FollowedTopics({
      hints,
      topicOf: id => id,
      findMarks: ids => polls.findRevisions(ids),
    });
  }

  subscribe(id: PollId, subscriber: Subscriber): void {
    void this.#watched(id).join(subscriber);
  }

  unsubscribe(id: PollId, subscriber: Subscriber): void {
    this.#polls.get(id)?.leave(subscriber);
  }

  close(): void {
    this.#polls.close();
  }

  #watched(id: PollId): WatchedPoll {
    const { engine, isOperatorKey } = this.#options;
    const { read } = this;
    return this.#polls.follow(
      id,
      ready => new WatchedPoll({ id, ready, polls: engine.polls, read, isOperatorKey }),
    );
  }
}
