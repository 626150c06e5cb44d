import type { PollId } from '../../poll/poll.ts';
import type { CommandClient } from './redis-commands.ts';
import type { RedisKeys } from './redis-keys.ts';

/** The oldest fall off: a list of polls is for people to look at, not an archive. */
const MAX_PUBLIC_POLLS = 1_000;

/** One sorted set apart from the polls' own keys, because no script may touch two hash tags. So it may lag behind. */
export class RedisPublicPolls {
  readonly #client: CommandClient;
  readonly #keys: RedisKeys;

  constructor(client: CommandClient, keys: RedisKeys) {
    this.#client = client;
    this.#keys = keys;
  }

  /** @param createdAtMs UNIX time in milliseconds */
  async add(id: PollId, createdAtMs: number): Promise<void> {
    await Promise.all([
      this.#client.zadd(this.#keys.publicPolls, createdAtMs, id),
      this.#client.zremrangebyrank(this.#keys.publicPolls, 0, -MAX_PUBLIC_POLLS - 1),
    ]);
  }

  async remove(id: PollId): Promise<void> {
    await this.#client.zrem(this.#keys.publicPolls, id);
  }

  /** Newest first. */
  async list(limit: number): Promise<PollId[]> {
    const listed = limit > 0 ? await this.#client.zrevrange(this.#keys.publicPolls, 0, -1) : [];
    const found: PollId[] = [];
    for (let start = 0; start < listed.length && found.length < limit; start += limit) {
      const ids = listed.slice(start, start + limit);
      // Asked of the poll itself: the list may name what has expired, and must never betray a private poll.
      const flags = await Promise.all(ids.map(id => this.#client.hget(this.#keys.ofPoll(id).poll, 'public')));
      found.push(...ids.filter((_, index) => flags[index] === '1'));
    }
    return found.slice(0, limit);
  }
}
