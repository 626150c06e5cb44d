import type { Comment } from '../../engine/comments.ts';
import type { Phrases } from '../../web/phrases.ts';
import { html, type Markup } from './html.ts';
import { timeElement } from './time-element.ts';

/** @param action a form that acts on the comment, on the creator's page */
export function commentItem({ live, wording }: Phrases, comment: Comment, action?: Markup): Markup {
  const { id, name, text, writtenAtMs } = comment;
  return html`<li data-comment="${id}"><p class="by"><b><bdi>${name || live.anonymous}</bdi></b> ${timeElement(wording, writtenAtMs)}</p>
<p class="text" dir="auto">${text}</p>${action}</li>`;
}
