import type { PollId } from '../../poll/poll.ts';
import { isPollId } from '../../poll/poll.ts';
import type { Comment, Comments, Records } from '../engine.ts';
import type { RedisStore } from './redis-store.ts';

export class RedisRecords implements Records {
  readonly #store: RedisStore;

  constructor(store: RedisStore) {
    this.#store = store;
  }

  async find(name: string): Promise<string | undefined> {
    return (await this.#store.send(client => client.get(this.#key(name)))) ?? undefined;
  }

  async findMany(names: readonly string[]): Promise<(string | undefined)[]> {
    if (names.length === 0) return [];
    const keys = names.map(name => this.#key(name));
    // In a cluster, one command may not use two slots.
    const isCluster = this.#store.connections.publish === 'SPUBLISH';
    const texts = await this.#store.send(client =>
      isCluster ? Promise.all(keys.map(key => client.get(key))) : client.mget(...keys),
    );
    return texts.map(text => text ?? undefined);
  }

  async putIfAbsent(name: string, text: string, ttlMs?: number): Promise<string> {
    const key = this.#key(name);
    const earlier = await this.#store.write(client =>
      ttlMs === undefined
        ? client.set(key, text, 'NX', 'GET')
        : client.set(key, text, 'PX', wholeMs(ttlMs), 'NX', 'GET'),
    );
    return earlier ?? text;
  }

  async put(name: string, text: string, ttlMs?: number): Promise<void> {
    const key = this.#key(name);
    await this.#store.write(client =>
      ttlMs === undefined ? client.set(key, text) : client.set(key, text, 'PX', wholeMs(ttlMs)),
    );
  }

  async replace(name: string, expected: string, text: string | undefined): Promise<boolean> {
    const values = text === undefined ? [expected] : [expected, text];
    return (await this.#store.write(client => client.replaceRecord(this.#key(name), ...values))) === 1;
  }

  async spend(name: string, amount: number, budget: number, ttlMs: number): Promise<boolean> {
    const args = [this.#key(name), amount, budget, wholeMs(ttlMs)];
    return (await this.#store.write(client => client.spendRecord(...args))) === 1;
  }

  async remove(name: string): Promise<void> {
    await this.#store.write(client => client.unlink(this.#key(name)));
  }

  #key(name: string): string {
    return this.#store.keys.record(name);
  }
}

function wholeMs(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs));
}

/** Comments are a list of JSON texts, newest first, under the poll's hash tag. */
export class RedisComments implements Comments {
  readonly #store: RedisStore;

  constructor(store: RedisStore) {
    this.#store = store;
  }

  async add(pollId: PollId, comment: Comment, limit: number): Promise<boolean> {
    if (!isPollId(pollId)) return false;
    const { comments, poll } = this.#store.keys.ofPoll(pollId);
    const hint = this.#store.hintArgs(`comments:${pollId}`);
    return this.#store.write(async client => {
      const kept = await client.addComment(comments, poll, ...hint, JSON.stringify(comment));
      if (!kept) return false;
      const [length, expiresAtMs] = kept;
      if (expiresAtMs > 0) await client.pexpireat(comments, expiresAtMs);
      if (length > limit) await client.ltrim(comments, 0, limit - 1);
      return true;
    });
  }

  async list(pollId: PollId, limit?: number): Promise<Comment[]> {
    if (limit === 0) return [];
    return (await this.#texts(pollId, limit)).map(text => JSON.parse(text) as Comment);
  }

  /** The number of comments and the newest id: either changes with every addition and removal. */
  findRevisions(pollIds: readonly PollId[]): Promise<string[]> {
    return this.#store.send(client =>
      Promise.all(
        pollIds.map(async pollId => {
          if (!isPollId(pollId)) return '';
          const { comments } = this.#store.keys.ofPoll(pollId);
          const [length, newest] = await Promise.all([client.llen(comments), client.lindex(comments, 0)]);
          return newest === null ? '' : `${length} ${(JSON.parse(newest) as Comment).id}`;
        }),
      ),
    );
  }

  async remove(pollId: PollId, commentId: string): Promise<boolean> {
    const text = (await this.#texts(pollId)).find(stored => (JSON.parse(stored) as Comment).id === commentId);
    if (text === undefined) return false;
    const [publish, channel] = this.#store.hintArgs(`comments:${pollId}`);
    return this.#store.write(async client => {
      // By its exact text, so that of two callers one removes it.
      const removed = await client.lrem(this.#store.keys.ofPoll(pollId).comments, 1, text);
      if (removed > 0) await client.call(publish, channel, '');
      return removed > 0;
    });
  }

  async #texts(pollId: PollId, limit = 0): Promise<string[]> {
    if (!isPollId(pollId)) return [];
    return this.#store.send(client => client.lrange(this.#store.keys.ofPoll(pollId).comments, 0, limit - 1));
  }
}
