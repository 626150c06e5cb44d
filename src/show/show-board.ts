import type { Engine } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-values.ts';
import type { PollId } from '../poll/poll.ts';

/** A show is a name that points to a poll, so that one overlay's URL serves a whole season. */

export async function pointShow(engine: Engine, show: string, id: PollId | null): Promise<void> {
  if (id === null) await engine.records.remove(topicOf(show));
  else await engine.records.put(topicOf(show), id);
  await engine.hints.publish(topicOf(show));
}

export async function findShow(engine: Engine, show: string): Promise<PollId | null> {
  return (await engine.records.find(topicOf(show))) ?? null;
}

/** In one process: which shows are followed by whom. */
export class ShowBoard {
  readonly #shows: FollowedValues<PollId | null>;

  constructor({ hints, records }: Engine) {
    const find = (shows: readonly string[]) => records.findMany(shows.map(topicOf));
    this.#shows = new FollowedValues({
      hints,
      topicOf,
      read: async shows => (await find(shows)).map(text => text ?? null),
      findMarks: find,
      isSame: Object.is,
    });
  }

  /** Tells where the show points to, now and on each switch. @returns stops the telling */
  follow(show: string, follower: (id: PollId | null) => void): () => void {
    return this.#shows.follow(show, follower);
  }

  close(): void {
    this.#shows.close();
  }
}

function topicOf(show: string): string {
  return `show:${show}`;
}
