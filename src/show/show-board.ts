import type { Engine } from '../engine/engine.ts';
import type { Following } from '../engine/hints.ts';
import type { PollId } from '../poll/poll.ts';

/** A show is a name that points to a poll, so that one overlay's URL serves a whole season. */

const SWEEP_INTERVAL_MS = 2_000;

type Follower = (id: PollId | null) => void;

interface FollowedShow {
  readonly followers: Set<Follower>;
  readonly following: Following;
  /** undefined until it was read once. */
  id: PollId | null | undefined;
}

export async function pointShow(engine: Engine, show: string, id: PollId | null): Promise<void> {
  if (id === null) await engine.records.remove(topicOf(show));
  else await engine.records.put(topicOf(show), id);
  await engine.hints.publish(topicOf(show));
}

export async function findShow(engine: Engine, show: string): Promise<PollId | null> {
  return (await engine.records.find(topicOf(show))) ?? null;
}

/** In one process: which shows are followed by whom. Like a poll, a show is watched first and read then. */
export class ShowBoard {
  readonly #engine: Engine;
  readonly #shows = new Map<string, FollowedShow>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    engine.hints.onAvailability(available => available && this.#readAll());
  }

  /** Tells where the show points to, now and on each switch. @returns stops the telling */
  follow(show: string, follower: Follower): () => void {
    const topic = topicOf(show);
    const followed = this.#shows.get(topic) ?? this.#begin(topic);
    followed.followers.add(follower);
    if (followed.id !== undefined) follower(followed.id);
    void this.#open(followed, topic);
    this.#sweeping ??= setInterval(() => this.#readAll(), SWEEP_INTERVAL_MS).unref();
    return () => this.#unfollow(topic, follower);
  }

  close(): void {
    clearInterval(this.#sweeping);
    for (const { following } of this.#shows.values()) following.unfollow();
    this.#shows.clear();
  }

  #unfollow(topic: string, follower: Follower): void {
    const followed = this.#shows.get(topic);
    followed?.followers.delete(follower);
    if (followed?.followers.size !== 0) return;
    this.#shows.delete(topic);
    followed.following.unfollow();
    if (this.#shows.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  #begin(topic: string): FollowedShow {
    const following = this.#engine.hints.follow(topic, () => void this.#read(topic));
    const followed = { followers: new Set<Follower>(), following, id: undefined };
    this.#shows.set(topic, followed);
    return followed;
  }

  async #open({ following }: FollowedShow, topic: string): Promise<void> {
    await following.ready;
    await this.#read(topic);
  }

  #readAll(): void {
    for (const topic of this.#shows.keys()) void this.#read(topic);
  }

  async #read(topic: string): Promise<void> {
    try {
      const id = (await this.#engine.records.find(topic)) ?? null;
      const followed = this.#shows.get(topic);
      if (!followed || followed.id === id) return;
      followed.id = id;
      for (const follower of followed.followers) follower(id);
    } catch {
      // The engine is away; what is on screen stays.
    }
  }
}

function topicOf(show: string): string {
  return `show:${show}`;
}
