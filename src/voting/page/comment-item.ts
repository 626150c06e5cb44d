import type { Comment } from '../../engine/comments.ts';
import { html, type Markup } from './html.ts';
import { moment } from './moment.ts';

/** @param action a form that acts on the comment, on the creator's page */
export function commentItem(comment: Comment, action?: Markup): Markup {
  return html`<li data-comment="${comment.id}"><p class="by"><b><bdi>${comment.name}</bdi></b> ${moment(comment.writtenAtMs)}</p>
<p class="text" dir="auto">${comment.text}</p>${action}</li>`;
}
