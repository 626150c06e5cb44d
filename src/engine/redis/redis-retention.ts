import type { PollId } from '../../poll/poll.ts';
import { LruMap } from '../lru-map.ts';
import type { CommandsInFlight } from './commands-in-flight.ts';
import type { CommandClient } from './redis-commands.ts';
import type { RedisKeys } from './redis-keys.ts';
import { timeToMs } from './redis-replies.ts';

const HOUR_MS = 3_600_000;
/** Of a poll that falls out the day is moved once more than it need be. */
const MAX_POLLS = 10_000;
/** Redis itself lets a poll go so long after its day: only where nobody sweeps. */
export const GRACE_MS = HOUR_MS;
const SWEEP_INTERVAL_MS = 60_000;
const POLLS_IN_A_SWEEP = 100;

export interface RedisRetentionOptions {
  readonly client: CommandClient;
  readonly commands: CommandsInFlight;
  readonly keys: RedisKeys;
  /** How scripts tell watchers under a topic. */
  readonly told: (topic: string) => readonly [publish: string, channel: string];
  /** Retention of polls that were created before they had their own; 0 keeps them for ever. */
  readonly otherwiseMs: number | undefined;
  readonly onError: (error: Error) => void;
}

/**
 * Moves the day on which a poll goes, in steps of its own after those that change a poll, because each step is one write:
 * `cast-ballots-1.lua` says why. And removes polls whose day has come, which are listed by it: `expire-poll-2.lua` says
 * why Redis does not do so alone.
 */
export class RedisRetention {
  readonly #options: RedisRetentionOptions;
  readonly #movedMs = new LruMap<PollId, number>({ entries: MAX_POLLS });
  readonly #sweeping: NodeJS.Timeout;
  /** Polls at the head of the list that could not be reached: the next sweep goes on behind them. */
  #passed = 0;

  constructor(options: RedisRetentionOptions) {
    this.#options = options;
    // What fails is done the next time, or by another process, or by Redis.
    this.#sweeping = setInterval(() => void this.sweep().catch(() => {}), SWEEP_INTERVAL_MS).unref();
  }

  /** Keeps a poll as long as it says after its end, or after now where it has none. */
  async keep(id: PollId): Promise<void> {
    const { client, keys, otherwiseMs } = this.#options;
    const { poll, comments } = keys.ofPoll(id);
    const kept = await client.keepPoll(poll, otherwiseMs ?? '', GRACE_MS);
    if (kept) {
      const [goesAtMs, dueAtMs] = kept;
      await Promise.all([
        goesAtMs === 0 ? client.persist(comments) : client.pexpireat(comments, goesAtMs + GRACE_MS),
        // A Redis that is out of memory refuses it, and lets the poll go by itself.
        dueAtMs === 0 ? this.forget(id) : client.zadd(keys.retention, dueAtMs, id).catch(() => {}),
      ]);
    }
    this.#movedMs.set(id, performance.now());
  }

  async forget(id: PollId): Promise<void> {
    await this.#options.client.zrem(this.#options.keys.retention, id);
  }

  /** Whether the day has not been moved here for an hour: more often is not worth a call, as it is a year away. */
  isDue(id: PollId): boolean {
    const movedMs = this.#movedMs.get(id);
    if (movedMs !== undefined && performance.now() - movedMs < HOUR_MS) return false;
    // Whoever asks will keep the poll; those who ask meanwhile need not.
    this.#movedMs.set(id, performance.now());
    return true;
  }

  /** Removes polls whose day has come, the longest due first, a hundred at most. Skips those that it cannot reach. */
  async sweep(): Promise<void> {
    const { commands, keys, onError } = this.#options;
    const due = await commands.send(async client => {
      const nowMs = timeToMs(await client.time());
      return client.zrangebyscore(keys.retention, '-inf', nowMs, 'LIMIT', this.#passed, POLLS_IN_A_SWEEP);
    });
    let unreached = 0;
    for (const id of due)
      try {
        await this.#removeDue(id);
      } catch (cause) {
        if (unreached === 0)
          onError(new Error('a poll that has outlived its retention cannot be removed', { cause }));
        unreached += 1;
      }
    this.#passed = due.length < POLLS_IN_A_SWEEP ? 0 : this.#passed + unreached;
  }

  async #removeDue(id: PollId): Promise<void> {
    const { commands, keys, told } = this.#options;
    const { poll, comments } = keys.ofPoll(id);
    const channels = [...told(id), told(`comments:${id}`)[1]];
    // Its own day decides: the list is apart from the polls, because no script may touch two hash tags.
    const goesAtMs = await commands.send(client => client.expirePoll(poll, comments, ...channels, GRACE_MS));
    await commands.send<unknown>(client =>
      goesAtMs > 0 ? client.zadd(keys.retention, goesAtMs, id) : client.zrem(keys.retention, id),
    );
    if (goesAtMs === 0) await commands.send(client => client.zrem(keys.publicPolls, id));
  }

  close(): void {
    clearInterval(this.#sweeping);
  }
}
