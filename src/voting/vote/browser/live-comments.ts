import type { Comment } from '../../../engine/comments.ts';
import { find, timeElement } from '../../page/browser/dom.ts';
import { followEvents } from '../../page/browser/event-feed.ts';
import { phrases } from '../../page/browser/i18n.ts';

/** Comments as they are written and removed. */
export function followComments(section: HTMLElement): { close(): void } {
  return followEvents<Comment[]>(section.dataset['comments'] ?? '', {
    onMessage: comments => draw(section, comments),
  });
}

function draw(section: HTMLElement, comments: readonly Comment[]): void {
  const list = find(section, 'comment-list');
  if (!list) return;
  const known = new Map([...list.children].map(item => [(item as HTMLElement).dataset['comment'], item]));
  // Items that stay are not touched, so that only what is new is read out.
  const wanted = comments.map(comment => known.get(comment.id) ?? item(comment));
  for (const old of known.values()) if (!wanted.includes(old)) old.remove();
  for (const [index, element] of wanted.entries())
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
  const none = find(section, 'no-comments');
  if (none) none.hidden = comments.length > 0;
}

function item(comment: Comment): HTMLLIElement {
  const element = document.createElement('li');
  element.dataset['comment'] = comment.id;
  const by = document.createElement('p');
  by.className = 'by';
  const name = document.createElement('b');
  const isolated = document.createElement('bdi');
  isolated.textContent = comment.name || phrases.anonymous;
  name.append(isolated);
  by.append(name, ' ', timeElement(comment.writtenAtMs));
  const text = document.createElement('p');
  text.className = 'text';
  text.dir = 'auto';
  text.textContent = comment.text;
  element.append(by, text);
  return element;
}
