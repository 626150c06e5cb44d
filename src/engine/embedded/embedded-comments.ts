import type { PollId } from '../../poll/poll.ts';
import type { Comment, Comments } from '../comments.ts';
import type { EmbeddedHints } from './embedded-hints.ts';
import { type EmbeddedTables, keysOfPoll } from './embedded-tables.ts';
import type { WriteTransaction } from './write-transaction.ts';

export class EmbeddedComments implements Comments {
  readonly #tables: EmbeddedTables;
  readonly #write: WriteTransaction;
  readonly #hints: EmbeddedHints;

  constructor(tables: EmbeddedTables, write: WriteTransaction, hints: EmbeddedHints) {
    this.#tables = tables;
    this.#write = write;
    this.#hints = hints;
  }

  async add(pollId: PollId, comment: Comment, limit: number): Promise<boolean> {
    const added = await this.#write(() => {
      if (!this.#tables.polls.doesExist(pollId)) return false;
      this.#tables.comments.putSync([pollId, comment.writtenAtMs, comment.id], comment);
      for (const key of this.#keys(pollId).slice(limit)) this.#tables.comments.removeSync(key);
      return true;
    });
    if (added) this.#hints.tell(`comments:${pollId}`);
    return added;
  }

  async findRevisions(pollIds: readonly PollId[]): Promise<string[]> {
    return pollIds.map(pollId => {
      const keys = this.#keys(pollId);
      return `${keys.length} ${keys[0]?.[2] ?? ''}`;
    });
  }

  async list(pollId: PollId, limit?: number): Promise<Comment[]> {
    // Those of a poll that was removed are there for a while.
    if (!this.#tables.polls.doesExist(pollId)) return [];
    const keys = this.#keys(pollId);
    return keys.slice(0, limit).flatMap(key => this.#tables.comments.get(key) ?? []);
  }

  async remove(pollId: PollId, commentId: string): Promise<boolean> {
    const removed = await this.#write(() => {
      const key = this.#keys(pollId).find(([, , id]) => id === commentId);
      if (key) this.#tables.comments.removeSync(key);
      return key !== undefined;
    });
    if (removed) this.#hints.tell(`comments:${pollId}`);
    return removed;
  }

  #keys(pollId: PollId): [PollId, number, string][] {
    return [...this.#tables.comments.getKeys(keysOfPoll(pollId))].reverse();
  }
}
