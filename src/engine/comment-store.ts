import type { PollId } from '../poll/poll.ts';

export interface Comment {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** UNIX time in milliseconds. */
  readonly writtenAtMs: number;
}

/** Comments under a poll. They live and are removed with it. */
export interface CommentStore {
  /** Keeps the newest `limit` comments. Resolves to false where there is no such poll. MUST hint `comments:<poll id>`. */
  add(pollId: PollId, comment: Comment, limit: number): Promise<boolean>;

  /** Newest first. */
  list(pollId: PollId): Promise<Comment[]>;

  /** MUST hint `comments:<poll id>`. Resolves to false where there is no such comment. */
  remove(pollId: PollId, commentId: string): Promise<boolean>;
}
