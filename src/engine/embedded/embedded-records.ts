import type { Comments, Records } from '../engine.ts';
import type { EmbeddedHints } from './embedded-hints.ts';
import { type EmbeddedStore, keysOfPoll } from './embedded-tables.ts';

export function embeddedRecords({ records, write }: EmbeddedStore): Records {
  const read = (name: string) => {
    const found = records.get(name);
    return found && (found.expiresAtMs === null || found.expiresAtMs > Date.now()) ? found.text : undefined;
  };
  const store = (name: string, text: string, ttlMs?: number): void => {
    records.putSync(name, { text, expiresAtMs: ttlMs === undefined ? null : Date.now() + ttlMs });
  };
  return {
    find: async name => read(name),
    findMany: async names => names.map(read),
    putIfAbsent(name, text, ttlMs) {
      const put = () => {
        const kept = read(name);
        if (kept === undefined) store(name, text, ttlMs);
        return kept ?? text;
      };
      // The press of a show may close a poll.
      return write(put, undefined, name.startsWith('press:') ? 'end' : undefined);
    },
    put: (name, text, ttlMs) => write(() => store(name, text, ttlMs)),
    replace(name, expected, text) {
      const replace = () => {
        if (read(name) !== expected) return false;
        if (text === undefined) records.removeSync(name);
        else store(name, text);
        return true;
      };
      return write(replace, undefined, 'end');
    },
    spend: (name, amount, budget, ttlMs) =>
      write(() => {
        const spent = Number(read(name) ?? 0) + amount;
        if (spent > budget) return false;
        store(name, `${spent}`, ttlMs);
        return true;
      }),
    remove: name => write(() => void records.removeSync(name), undefined, 'end'),
  };
}

export function embeddedComments({ polls, comments, write }: EmbeddedStore, hints: EmbeddedHints): Comments {
  /** Newest first. */
  const keysOf = (pollId: string) => [...comments.getKeys(keysOfPoll(pollId))].reverse();
  return {
    async add(pollId, comment, limit) {
      const added = await write(() => {
        if (!polls.doesExist(pollId)) return false;
        comments.putSync([pollId, comment.writtenAtMs, comment.id], comment);
        for (const key of keysOf(pollId).slice(limit)) comments.removeSync(key);
        return true;
      });
      if (added) hints.send(`comments:${pollId}`);
      return added;
    },
    findRevisions: async pollIds =>
      pollIds.map(pollId => {
        const keys = keysOf(pollId);
        return `${keys.length} ${keys[0]?.[2] ?? ''}`;
      }),
    async list(pollId, limit) {
      // A removed poll still has comments for a while.
      if (!polls.doesExist(pollId)) return [];
      return keysOf(pollId)
        .slice(0, limit)
        .flatMap(key => comments.get(key) ?? []);
    },
    async remove(pollId, commentId) {
      const remove = () => {
        const key = keysOf(pollId).find(([, , id]) => id === commentId);
        if (key) comments.removeSync(key);
        return key !== undefined;
      };
      const removed = await write(remove, undefined, 'end');
      if (removed) hints.send(`comments:${pollId}`);
      return removed;
    },
  };
}
