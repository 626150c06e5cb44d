import type { Comments } from '../../engine/comments.ts';
import type { PollId } from '../../poll/poll.ts';
import type { Phrases } from '../../web/phrases.ts';
import { commentItem } from '../page/comment-item.ts';
import { html, type Markup } from '../page/html.ts';
import type { VotingSecret } from '../voter/voting-secret.ts';
import { SHOWN_COMMENTS } from './comment-feed.ts';
import {
  type FilledComment,
  issueCommentToken,
  MAX_COMMENT_LENGTH,
  MAX_COMMENT_NAME_LENGTH,
} from './comment-form.ts';

interface CommentWriter {
  readonly pollId: PollId;
  /** The id in the voter cookie. */
  readonly voter: string;
  /** Only voters may write. */
  readonly hasVoted: boolean;
  /** What was written and could not be sent. */
  readonly filled: FilledComment | undefined;
}

/** The newest comments, and the form for one more. */
export async function commentsSection(
  phrases: Phrases,
  comments: Comments,
  secret: VotingSecret,
  { pollId, voter, hasVoted, filled }: CommentWriter,
): Promise<Markup> {
  const words = phrases.vote.comments;
  const list = (await comments.list(pollId)).slice(0, SHOWN_COMMENTS);
  return html`<section class="comments" data-comments="/${pollId}/comments/live" id="comments" aria-labelledby="comments-title">
<h2 id="comments-title">${words.title}</h2>
${hasVoted ? commentForm(phrases, issueCommentToken(secret, pollId, voter), pollId, filled) : html`<p class="quiet">${words.voteFirst}</p>`}
<ul data-comment-list aria-live="polite">${list.map(comment => commentItem(phrases, comment))}</ul>
<p class="quiet" data-no-comments${list.length > 0 && html` hidden`}>${words.none}</p>
</section>`;
}

/** @param token the id of the next comment, so that a form sent twice writes once */
function commentForm(
  { vote: { comments: words } }: Phrases,
  token: string,
  pollId: PollId,
  filled: FilledComment | undefined,
): Markup {
  return html`<form method="post" action="/${pollId}/comments">
<input type="hidden" name="comment" value="${token}">
<label class="field"><span>${words.yours}</span><textarea name="text" required dir="auto" maxlength="${MAX_COMMENT_LENGTH}" rows="3">${filled?.text}</textarea></label>
<label class="field"><span>${words.name} <small>${words.optional}</small></span><input name="name" value="${filled?.name ?? ''}" maxlength="${MAX_COMMENT_NAME_LENGTH}" dir="auto" autocomplete="nickname"></label>
<button type="submit" class="quiet">${words.send}</button>
</form>`;
}
