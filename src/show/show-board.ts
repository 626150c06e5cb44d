import type { Engine } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-values.ts';
import type { PollId } from '../poll/poll.ts';
import { onAirOf, showTopic } from './shows.ts';

/** In one process: which shows are followed by whom. */
export class ShowBoard {
  readonly #shows: FollowedValues<PollId | null>;

  constructor({ hints, records }: Engine) {
    const find = (shows: readonly string[]) => records.findMany(shows.map(showTopic));
    this.#shows = new FollowedValues({
      hints,
      topicOf: showTopic,
      read: async shows => (await find(shows)).map(onAirOf),
      findMarks: find,
      isSame: Object.is,
    });
  }

  /** Tells what is on air, now and on each switch. @returns stops the telling */
  follow(show: string, follower: (id: PollId | null) => void): () => void {
    return this.#shows.follow(show, follower);
  }

  close(): void {
    this.#shows.close();
  }
}
