import { LRUCache } from 'lru-cache';
import type { PollId } from '../../poll/poll.ts';
import { DELETIONS_KEPT_MS, MARK_MS } from '../engine.ts';
import { type RedisStore, timeToMs } from './redis-store.ts';

const HOUR_MS = 3_600_000;
/** An evicted poll's expiry is moved once more than necessary. */
const MAX_POLLS = 10_000;
/** Redis' own expiry comes this much later, for when nothing sweeps. */
export const GRACE_MS = HOUR_MS;
const SWEEP_INTERVAL_MS = 60_000;
const POLLS_IN_A_SWEEP = 100;

export type RedisRetention = ReturnType<typeof redisRetention>;

/**
 * Moves the expiry of polls, as a step of its own because each step is one write, and removes expired polls.
 *
 * @param otherwiseMs for polls from before polls had a retention of their own; 0 for ever
 */
export function redisRetention(store: RedisStore, otherwiseMs: number | undefined) {
  const { keys, onError } = store;
  const movedMs = new LRUCache<PollId, number>({ max: MAX_POLLS });
  /** Polls at the head of the list that failed to be removed: the next sweep begins after them. */
  let skipped = 0;

  /** Moves a poll's expiry to its retention after its end, or after now if it has no end. */
  async function keep(id: PollId): Promise<void> {
    const { poll, comments } = keys.ofPoll(id);
    await store.write(async client => {
      const kept = await client.keepPoll(poll, otherwiseMs ?? '', GRACE_MS);
      if (!kept) return;
      const [expiresAtMs, dueAtMs] = kept;
      await Promise.all([
        expiresAtMs === 0 ? client.persist(comments) : client.pexpireat(comments, expiresAtMs + GRACE_MS),
        // Without memory Redis rejects this, and later expires the poll itself.
        dueAtMs === 0
          ? client.zrem(keys.retention, id)
          : client.zadd(keys.retention, dueAtMs, id).catch(() => {}),
      ]);
    });
    movedMs.set(id, performance.now());
  }

  /** True once an hour and poll: the caller then has to call `keep`. */
  function isDue(id: PollId): boolean {
    const nowMs = performance.now();
    if (nowMs - (movedMs.get(id) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return false;
    movedMs.set(id, nowMs);
    return true;
  }

  /** Removes expired polls, oldest first, a hundred at most. Skips those that fail. */
  async function sweep(): Promise<void> {
    const due = await store.send(async client => {
      const nowMs = timeToMs(await client.time());
      return client.zrangebyscore(keys.retention, '-inf', nowMs, 'LIMIT', skipped, POLLS_IN_A_SWEEP);
    });
    let failed = 0;
    for (const id of due)
      try {
        await removeDue(id);
      } catch (cause) {
        if (failed === 0) onError(new Error('an expired poll cannot be removed', { cause }));
        failed += 1;
      }
    skipped = due.length < POLLS_IN_A_SWEEP ? 0 : skipped + failed;
  }

  async function removeDue(id: PollId): Promise<void> {
    const { poll, comments } = keys.ofPoll(id);
    const channels = [...store.hintArgs(id), keys.channel(`comments:${id}`)];
    await store.send(async client => {
      // Elsewhere in a cluster, and no reason to keep a poll: a list then comes across its removal.
      await client.markEvent(keys.events.due, id, MARK_MS).catch(() => {});
      await client.markDeleted(keys.deleted(id), DELETIONS_KEPT_MS);
      // The poll's own expiry decides. The list may differ, because no script may use two hash tags.
      const expiresAtMs = await client.expirePoll(poll, comments, ...channels, GRACE_MS);
      if (expiresAtMs > 0) return client.zadd(keys.retention, expiresAtMs, id);
      await client.zrem(keys.retention, id);
      return expiresAtMs === 0 ? client.zrem(keys.publicPolls, id) : 0;
    });
  }

  // A failed sweep is repeated by the next one, another process or Redis.
  const sweeping = setInterval(() => void sweep().catch(() => {}), SWEEP_INTERVAL_MS).unref();
  return { keep, isDue, sweep, close: () => clearInterval(sweeping) };
}
