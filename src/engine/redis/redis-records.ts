import type { Comment, Comments, Records } from '../engine.ts';
import type { RedisStore } from './redis-store.ts';

export function redisRecords(store: RedisStore): Records {
  const keyOf = store.keys.record;
  // In a cluster, one command may not use two slots.
  const isCluster = store.connections.publish === 'SPUBLISH';
  return {
    find: async name => (await store.send(client => client.get(keyOf(name)))) ?? undefined,
    async findMany(names) {
      if (names.length === 0) return [];
      const keys = names.map(keyOf);
      const texts = await store.send(client =>
        isCluster ? Promise.all(keys.map(key => client.get(key))) : client.mget(...keys),
      );
      return texts.map(text => text ?? undefined);
    },
    async putIfAbsent(name, text, ttlMs) {
      const key = keyOf(name);
      const earlier = await store.write(client =>
        ttlMs === undefined
          ? client.set(key, text, 'NX', 'GET')
          : client.set(key, text, 'PX', wholeMs(ttlMs), 'NX', 'GET'),
      );
      return earlier ?? text;
    },
    async put(name, text, ttlMs) {
      const key = keyOf(name);
      await store.write(client =>
        ttlMs === undefined ? client.set(key, text) : client.set(key, text, 'PX', wholeMs(ttlMs)),
      );
    },
    async replace(name, expected, text) {
      const values = text === undefined ? [expected] : [expected, text];
      return (await store.write(client => client.replaceRecord(keyOf(name), ...values))) === 1;
    },
    async spend(name, amount, budget, ttlMs) {
      const args = [keyOf(name), amount, budget, wholeMs(ttlMs)];
      return (await store.write(client => client.spendRecord(...args))) === 1;
    },
    async remove(name) {
      await store.write(client => client.unlink(keyOf(name)));
    },
  };
}

function wholeMs(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs));
}

/** Comments are a list of JSON texts, newest first, under the poll's hash tag. */
export function redisComments(store: RedisStore): Comments {
  const textsOf = (pollId: string, limit = 0) =>
    store.send(client => client.lrange(store.keys.ofPoll(pollId).comments, 0, limit - 1));
  return {
    async add(pollId, comment, limit) {
      const { comments, poll } = store.keys.ofPoll(pollId);
      const hint = store.hintArgs(`comments:${pollId}`);
      return store.write(async client => {
        const kept = await client.addComment(comments, poll, ...hint, JSON.stringify(comment));
        if (!kept) return false;
        const [length, expiresAtMs] = kept;
        if (expiresAtMs > 0) await client.pexpireat(comments, expiresAtMs);
        if (length > limit) await client.ltrim(comments, 0, limit - 1);
        return true;
      });
    },
    async list(pollId, limit) {
      if (limit === 0) return [];
      return (await textsOf(pollId, limit)).map(text => JSON.parse(text) as Comment);
    },
    /** The number of comments and the newest id: either changes with every addition and removal. */
    findRevisions: pollIds =>
      store.send(client =>
        Promise.all(
          pollIds.map(async pollId => {
            const { comments } = store.keys.ofPoll(pollId);
            const [length, newest] = await Promise.all([client.llen(comments), client.lindex(comments, 0)]);
            return newest === null ? '' : `${length} ${(JSON.parse(newest) as Comment).id}`;
          }),
        ),
      ),
    async remove(pollId, commentId) {
      const text = (await textsOf(pollId)).find(stored => (JSON.parse(stored) as Comment).id === commentId);
      if (text === undefined) return false;
      const [publish, channel] = store.hintArgs(`comments:${pollId}`);
      return store.write(async client => {
        // By its exact text, so that of two callers one removes it.
        const removed = await client.lrem(store.keys.ofPoll(pollId).comments, 1, text);
        if (removed > 0) await client.call(publish, channel, '');
        return removed > 0;
      });
    },
  };
}
