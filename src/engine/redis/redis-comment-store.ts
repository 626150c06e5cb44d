import { isPollId } from '../../poll/create-poll.ts';
import type { PollId } from '../../poll/poll.ts';
import type { Comment, CommentStore } from '../comment-store.ts';
import type { CommandClient } from './redis-commands.ts';
import { engineUnavailable } from './redis-failure.ts';
import type { RedisKeys } from './redis-keys.ts';

/** Comments are a list of JSON texts, newest first, under the poll's hash tag. */
export class RedisCommentStore implements CommentStore {
  readonly #client: CommandClient;
  readonly #keys: RedisKeys;
  readonly #publish: 'PUBLISH' | 'SPUBLISH';

  constructor(client: CommandClient, keys: RedisKeys, publish: 'PUBLISH' | 'SPUBLISH') {
    this.#client = client;
    this.#keys = keys;
    this.#publish = publish;
  }

  async add(pollId: PollId, comment: Comment, limit: number): Promise<boolean> {
    if (!isPollId(pollId)) return false;
    const { comments, poll } = this.#keys.ofPoll(pollId);
    const told = [this.#publish, this.#channel(pollId)];
    try {
      const kept = await this.#client.addComment(comments, poll, ...told, JSON.stringify(comment));
      if (!kept) return false;
      const [length, goesAtMs] = kept;
      if (goesAtMs > 0) await this.#client.pexpireat(comments, goesAtMs);
      if (length > limit) await this.#client.ltrim(comments, 0, limit - 1);
      return true;
    } catch (cause) {
      throw engineUnavailable(cause);
    }
  }

  async list(pollId: PollId): Promise<Comment[]> {
    return (await this.#texts(pollId)).map(text => JSON.parse(text) as Comment);
  }

  async remove(pollId: PollId, commentId: string): Promise<boolean> {
    const text = (await this.#texts(pollId)).find(stored => (JSON.parse(stored) as Comment).id === commentId);
    if (text === undefined) return false;
    try {
      // By its exact text: whoever comes second removes nothing.
      const removed = await this.#client.lrem(this.#keys.ofPoll(pollId).comments, 1, text);
      if (removed === 0) return false;
      await this.#client.call(this.#publish, this.#channel(pollId), '');
      return true;
    } catch (cause) {
      throw engineUnavailable(cause);
    }
  }

  async #texts(pollId: PollId): Promise<string[]> {
    if (!isPollId(pollId)) return [];
    try {
      return await this.#client.lrange(this.#keys.ofPoll(pollId).comments, 0, -1);
    } catch (cause) {
      throw engineUnavailable(cause);
    }
  }

  #channel(pollId: PollId): string {
    return this.#keys.channel(`comments:${pollId}`);
  }
}
