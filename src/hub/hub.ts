import type { Engine } from '../engine/engine.ts';
import { FollowedTopics } from '../engine/followed-topics.ts';
import type { Revision } from '../engine/polls.ts';
import type { PollId, Reading } from '../poll/poll.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';
import type { Interest, Seat, Subscriber } from './seat.ts';
import { shareReads } from './shared-read.ts';
import { WatchedPoll } from './watched-poll.ts';

export interface HubOptions {
  readonly engine: Engine;
  readonly isOperatorKey: IsOperatorKey;
}

/** In one process: which poll is watched by whom. */
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

  /** @returns the seat at the poll, which is handed its first message soon; leave it when nobody listens any more */
  subscribe(id: PollId, interest: Interest, subscriber: Subscriber): Seat {
    return this.#watched(id).subscribe(interest, subscriber);
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
