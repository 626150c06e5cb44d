import type { PollId } from '../poll/poll.ts';

export interface Comment {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** UNIX time in milliseconds. */
  readonly writtenAtMs: number;
}

/** Comments under a poll. They live and are removed with it. To hint means `hints.publish('comments:<poll id>')`. */
export interface Comments {
  /**
   * MUST keep the newest `limit` comments and hint. MUST keep a comment once that is added again, the same in every member:
   * whoever got no answer tries again. Resolves to false where there is no such poll.
   */
  add(pollId: PollId, comment: Comment, limit: number): Promise<boolean>;

  /** Newest first. @param limit so many of the newest at most; left out, all that are kept */
  list(pollId: PollId, limit?: number): Promise<Comment[]>;

  /** For each poll a text that differs whenever its list does, in order, for the sweep. MUST be cheap. */
  findRevisions(pollIds: readonly PollId[]): Promise<string[]>;

  /** MUST hint. Resolves to false where there is no such comment. */
  remove(pollId: PollId, commentId: string): Promise<boolean>;
}
