import type { PollId } from '../../poll/poll.ts';
import { LruMap } from '../lru-map.ts';
import type { CommandClient } from './redis-commands.ts';
import type { RedisKeys } from './redis-keys.ts';

const HOUR_MS = 3_600_000;
/** Of a poll that falls out the day is moved once more than it need be. */
const MAX_POLLS = 10_000;

/**
 * Moves the day on which Redis lets a poll go. In steps of its own after those that change a poll, because each step is
 * one write: `cast-ballots-1.lua` says why.
 */
export class RedisRetention {
  readonly #client: CommandClient;
  readonly #keys: RedisKeys;
  readonly #otherwiseMs: number | undefined;
  readonly #movedMs = new LruMap<PollId, number>({ entries: MAX_POLLS });

  /** @param otherwiseMs retention of polls that were created before they had their own; 0 keeps them for ever */
  constructor(client: CommandClient, keys: RedisKeys, otherwiseMs: number | undefined) {
    this.#client = client;
    this.#keys = keys;
    this.#otherwiseMs = otherwiseMs;
  }

  /** Keeps a poll as long as it says after its end, or after now where it has none. */
  async keep(id: PollId): Promise<void> {
    const { poll, comments } = this.#keys.ofPoll(id);
    const goesAtMs = await this.#client.keepPoll(poll, this.#otherwiseMs ?? '');
    if (goesAtMs === 0) await this.#client.persist(comments);
    else if (goesAtMs) await this.#client.pexpireat(comments, goesAtMs);
    this.#movedMs.set(id, performance.now());
  }

  /** Whether the day has not been moved here for an hour: more often is not worth a call, as it is a year away. */
  isDue(id: PollId): boolean {
    const movedMs = this.#movedMs.get(id);
    if (movedMs !== undefined && performance.now() - movedMs < HOUR_MS) return false;
    // Whoever asks will keep the poll; those who ask meanwhile need not.
    this.#movedMs.set(id, performance.now());
    return true;
  }
}
