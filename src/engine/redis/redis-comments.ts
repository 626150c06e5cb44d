import { isPollId } from '../../poll/create-poll.ts';
import type { PollId } from '../../poll/poll.ts';
import type { Comment, Comments } from '../comments.ts';
import type { CommandsInFlight } from './commands-in-flight.ts';
import type { RedisKeys } from './redis-keys.ts';

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
