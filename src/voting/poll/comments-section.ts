import type { Comment } from '../../engine/comments.ts';
import { commentItem } from '../page/comment-item.ts';
import { html, type Markup } from '../page/html.ts';
import { type FilledComment, MAX_COMMENT_LENGTH, MAX_COMMENT_NAME_LENGTH } from './comment-form.ts';

export interface CommentsView {
  /** Newest first. */
  readonly list: readonly Comment[];
  /** Id of the next comment, sealed for this poll and voter, so that pressing twice writes once. */
  readonly token: string;
  /** What was written and could not be sent. */
  readonly filled?: FilledComment | undefined;
}

export function commentsSection(pollId: string, { list, token, filled }: CommentsView): Markup {
  return html`<section class="comments" data-comments="/${pollId}/comments/live" id="comments" aria-labelledby="comments-title">
<h2 id="comments-title">Comments</h2>
<form method="post" action="/${pollId}/comments">
<input type="hidden" name="comment" value="${token}">
<label class="field"><span>Your comment</span><textarea name="text" required maxlength="${MAX_COMMENT_LENGTH}" rows="3">${filled?.text}</textarea></label>
<label class="field"><span>Name <small>(may be left empty)</small></span><input name="name" value="${filled?.name ?? ''}" maxlength="${MAX_COMMENT_NAME_LENGTH}" autocomplete="nickname"></label>
<button type="submit" class="quiet">Send comment</button>
</form>
<ul data-comment-list aria-live="polite">${list.map(comment => commentItem(comment))}</ul>
<p class="quiet" data-no-comments${list.length > 0 && html` hidden`}>No comments yet.</p>
</section>`;
}
