import type { PollId } from '../../poll/poll.ts';
import type { Comment, Comments, Records } from '../engine.ts';
import type { EmbeddedHints } from './embedded-hints.ts';
import { type EmbeddedStore, keysOfPoll, type StoredRecord } from './embedded-tables.ts';

export class EmbeddedRecords implements Records {
  readonly #store: EmbeddedStore;

  constructor(store: EmbeddedStore) {
    this.#store = store;
  }

  async find(name: string): Promise<string | undefined> {
    return this.#read(name);
  }

  async findMany(names: readonly string[]): Promise<(string | undefined)[]> {
    return names.map(name => this.#read(name));
  }

  putIfAbsent(name: string, text: string, ttlMs?: number): Promise<string> {
    const put = () => {
      const kept = this.#read(name);
      if (kept !== undefined) return kept;
      this.#store.records.putSync(name, record(text, ttlMs));
      return text;
    };
    // The press of a show may close a poll.
    return this.#store.write(put, undefined, name.startsWith('press:') ? 'end' : undefined);
  }

  async put(name: string, text: string, ttlMs?: number): Promise<void> {
    await this.#store.write(() => this.#store.records.putSync(name, record(text, ttlMs)));
  }

  replace(name: string, expected: string, text: string | undefined): Promise<boolean> {
    const replace = () => {
      if (this.#read(name) !== expected) return false;
      if (text === undefined) this.#store.records.removeSync(name);
      else this.#store.records.putSync(name, record(text));
      return true;
    };
    return this.#store.write(replace, undefined, 'end');
  }

  spend(name: string, amount: number, budget: number, ttlMs: number): Promise<boolean> {
    return this.#store.write(() => {
      const spent = Number(this.#read(name) ?? 0) + amount;
      if (spent > budget) return false;
      this.#store.records.putSync(name, record(`${spent}`, ttlMs));
      return true;
    });
  }

  async remove(name: string): Promise<void> {
    await this.#store.write(() => this.#store.records.removeSync(name), undefined, 'end');
  }

  #read(name: string): string | undefined {
    const found = this.#store.records.get(name);
    return found && (found.expiresAtMs === null || found.expiresAtMs > Date.now()) ? found.text : undefined;
  }
}

function record(text: string, ttlMs?: number): StoredRecord {
  return { text, expiresAtMs: ttlMs === undefined ? null : Date.now() + ttlMs };
}

export class EmbeddedComments implements Comments {
  readonly #store: EmbeddedStore;
  readonly #hints: EmbeddedHints;

  constructor(store: EmbeddedStore, hints: EmbeddedHints) {
    this.#store = store;
    this.#hints = hints;
  }

  async add(pollId: PollId, comment: Comment, limit: number): Promise<boolean> {
    const { polls, comments, write } = this.#store;
    const added = await write(() => {
      if (!polls.doesExist(pollId)) return false;
      comments.putSync([pollId, comment.writtenAtMs, comment.id], comment);
      for (const key of this.#keys(pollId).slice(limit)) comments.removeSync(key);
      return true;
    });
    if (added) this.#hints.send(`comments:${pollId}`);
    return added;
  }

  async findRevisions(pollIds: readonly PollId[]): Promise<string[]> {
    return pollIds.map(pollId => {
      const keys = this.#keys(pollId);
      return `${keys.length} ${keys[0]?.[2] ?? ''}`;
    });
  }

  async list(pollId: PollId, limit?: number): Promise<Comment[]> {
    // A removed poll still has comments for a while.
    if (!this.#store.polls.doesExist(pollId)) return [];
    const keys = this.#keys(pollId).slice(0, limit);
    return keys.flatMap(key => this.#store.comments.get(key) ?? []);
  }

  async remove(pollId: PollId, commentId: string): Promise<boolean> {
    const remove = () => {
      const key = this.#keys(pollId).find(([, , id]) => id === commentId);
      if (key) this.#store.comments.removeSync(key);
      return key !== undefined;
    };
    const removed = await this.#store.write(remove, undefined, 'end');
    if (removed) this.#hints.send(`comments:${pollId}`);
    return removed;
  }

  #keys(pollId: PollId): [PollId, number, string][] {
    return [...this.#store.comments.getKeys(keysOfPoll(pollId))].reverse();
  }
}
