import type { PollId } from '../../poll/poll.ts';
import { isPollId } from '../../poll/poll.ts';
import type { Comment, Comments } from '../comments.ts';
import type { Records } from '../records.ts';
import type { CommandsInFlight } from './commands-in-flight.ts';
import type { RedisKeys } from './redis-keys.ts';

export class RedisRecords implements Records {
  readonly #commands: CommandsInFlight;
  readonly #keys: RedisKeys;
  readonly #isClustered: boolean;

  /** @param isClustered whether Redis runs in cluster mode, where one command may not touch two slots */
  constructor(commands: CommandsInFlight, keys: RedisKeys, isClustered: boolean) {
    this.#commands = commands;
    this.#keys = keys;
    this.#isClustered = isClustered;
  }

  async find(name: string): Promise<string | undefined> {
    const text = await this.#commands.send(client => client.get(this.#keys.record(name)));
    return text ?? undefined;
  }

  async findMany(names: readonly string[]): Promise<(string | undefined)[]> {
    if (names.length === 0) return [];
    const keys = names.map(name => this.#keys.record(name));
    const texts = await this.#commands.send(client =>
      this.#isClustered ? Promise.all(keys.map(key => client.get(key))) : client.mget(...keys),
    );
    return texts.map(text => text ?? undefined);
  }

  async putIfAbsent(name: string, text: string, ttlMs?: number): Promise<string> {
    const key = this.#keys.record(name);
    // SET NX GET: one command both takes the name and tells who had it.
    const earlier = await this.#commands.write(client =>
      ttlMs === undefined
        ? client.set(key, text, 'NX', 'GET')
        : client.set(key, text, 'PX', wholeMs(ttlMs), 'NX', 'GET'),
    );
    return earlier ?? text;
  }

  async put(name: string, text: string, ttlMs?: number): Promise<void> {
    const key = this.#keys.record(name);
    await this.#commands.write(client =>
      ttlMs === undefined ? client.set(key, text) : client.set(key, text, 'PX', wholeMs(ttlMs)),
    );
  }

  async replace(name: string, expected: string, text: string | undefined): Promise<boolean> {
    const values = text === undefined ? [expected] : [expected, text];
    return (
      (await this.#commands.write(client => client.replaceRecord(this.#keys.record(name), ...values))) === 1
    );
  }

  async spend(name: string, amount: number, budget: number, ttlMs: number): Promise<boolean> {
    const key = this.#keys.record(name);
    return (
      (await this.#commands.write(client => client.spendRecord(key, amount, budget, wholeMs(ttlMs)))) === 1
    );
  }

  async remove(name: string): Promise<void> {
    await this.#commands.write(client => client.unlink(this.#keys.record(name)));
  }
}

/** Redis refuses fractions and anything below 1. */
function wholeMs(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs));
}

/** Comments are a list of JSON texts, newest first, under the poll's hash tag. */
export class RedisComments implements Comments {
  readonly #commands: CommandsInFlight;
  readonly #keys: RedisKeys;
  readonly #publish: 'PUBLISH' | 'SPUBLISH';

  constructor(commands: CommandsInFlight, keys: RedisKeys, publish: 'PUBLISH' | 'SPUBLISH') {
    this.#commands = commands;
    this.#keys = keys;
    this.#publish = publish;
  }

  async add(pollId: PollId, comment: Comment, limit: number): Promise<boolean> {
    if (!isPollId(pollId)) return false;
    const { comments, poll } = this.#keys.ofPoll(pollId);
    const told = [this.#publish, this.#channel(pollId)];
    return this.#commands.write(async client => {
      const kept = await client.addComment(comments, poll, ...told, JSON.stringify(comment));
      if (!kept) return false;
      const [length, goesAtMs] = kept;
      if (goesAtMs > 0) await client.pexpireat(comments, goesAtMs);
      if (length > limit) await client.ltrim(comments, 0, limit - 1);
      return true;
    });
  }

  async list(pollId: PollId, limit?: number): Promise<Comment[]> {
    if (limit === 0) return [];
    return (await this.#texts(pollId, limit)).map(text => JSON.parse(text) as Comment);
  }

  /** How many there are and the newest: one that is added is the newest, one that is removed is missing. */
  findRevisions(pollIds: readonly PollId[]): Promise<string[]> {
    return this.#commands.send(client =>
      Promise.all(
        pollIds.map(async pollId => {
          if (!isPollId(pollId)) return '';
          const { comments } = this.#keys.ofPoll(pollId);
          const [length, newest] = await Promise.all([client.llen(comments), client.lindex(comments, 0)]);
          return newest === null ? '' : `${length} ${(JSON.parse(newest) as Comment).id}`;
        }),
      ),
    );
  }

  async remove(pollId: PollId, commentId: string): Promise<boolean> {
    const text = (await this.#texts(pollId)).find(stored => (JSON.parse(stored) as Comment).id === commentId);
    if (text === undefined) return false;
    return this.#commands.write(async client => {
      // By its exact text: whoever comes second removes nothing.
      const removed = await client.lrem(this.#keys.ofPoll(pollId).comments, 1, text);
      if (removed === 0) return false;
      await client.call(this.#publish, this.#channel(pollId), '');
      return true;
    });
  }

  async #texts(pollId: PollId, limit = 0): Promise<string[]> {
    if (!isPollId(pollId)) return [];
    return this.#commands.send(client => client.lrange(this.#keys.ofPoll(pollId).comments, 0, limit - 1));
  }

  #channel(pollId: PollId): string {
    return this.#keys.channel(`comments:${pollId}`);
  }
}
