import type { Comment } from '../../../engine/engine.ts';
import { basePath } from '../../../pages/page/browser/base-path.ts';
import { basics, create, element, find, runEach, timeElement } from '../../../pages/page/browser/dom.ts';
import { followEvents } from '../../../pages/page/browser/event-feed.ts';
import { phrases } from '../../../pages/page/browser/i18n.ts';
import { chartButton } from '../../../pages/page/browser/results-list.ts';
import { shareButton } from '../../../pages/page/browser/share.ts';
import { ShowFollower } from '../../show/browser/show-follower.ts';
import { LivePoll } from './live-poll.ts';
import { VoteForm } from './vote-form.ts';

let form: VoteForm | undefined;
let live: LivePoll | undefined;
let comments: { close(): void } | undefined;
let follower: ShowFollower | undefined;
/** When a page that replaced the first one arrived. */
let replacedAtMs: number | undefined;
runEach(start, followShow);

function start(): void {
  runEach(
    // First, because it carries the ballot.
    startForm,
    ...basics,
    watchPoll,
    addButtons,
    () => {
      const section = find(document, 'comments');
      comments =
        section &&
        followEvents<Comment[]>(section.dataset['comments'] ?? '', {
          onMessage: list => renderComments(section, list),
        });
    },
  );
}

function startForm(): void {
  const voting = find<HTMLFormElement>(document, 'vote');
  form = voting && new VoteForm(voting, replacePage);
}

function watchPoll(): void {
  const article = find(document, 'poll');
  const results = find(document, 'results');
  live =
    article &&
    results &&
    new LivePoll(
      article,
      results,
      { onOpened: () => form?.prepare(), onGone: () => follower?.leave() },
      replacedAtMs,
    );
}

/** Below the results: after a vote, and in results that are looked at before it. */
function addButtons(): void {
  const article = find(document, 'poll');
  const results = find(document, 'results');
  const row = create('p', { class: 'actions' });
  // Shares of voters, who have several answers each, are no parts of a whole.
  if (results && find(results, 'open') && article?.dataset['multiple'] !== '1')
    row.append(chartButton(results));
  row.append(shareButton(`${location.origin}${basePath}/${article?.dataset['poll']}`));
  results?.append(row);
}

function followShow(): void {
  const article = find(document, 'poll');
  const show = article && ShowFollower.showOf(article);
  if (!article || show === undefined) return;
  follower = new ShowFollower(show, article.dataset['poll'] ?? '', {
    mark: article.dataset['mark'],
    onState: ({ state }) => live?.receiveState(state),
  });
}

/** Shows the page of a rejection. Submitting the form again would count the rejection twice. */
function replacePage(page: Document): void {
  live?.close();
  comments?.close();
  replacedAtMs = performance.now();
  document.title = page.title;
  element(document, 'main', HTMLElement).replaceWith(element(page, 'main', HTMLElement));
  renderRemoteCheck();
  start();
}

interface RemoteCheck {
  render(box: HTMLElement, options: { readonly sitekey: string }): void;
}

/** The scripts of Turnstile and hCaptcha only render what is on the page when they load. */
function renderRemoteCheck(): void {
  const { turnstile, hcaptcha } = globalThis as Partial<Record<'turnstile' | 'hcaptcha', RemoteCheck>>;
  const box = document.querySelector<HTMLElement>('[data-sitekey]');
  if (box) (turnstile ?? hcaptcha)?.render(box, { sitekey: box.dataset['sitekey'] ?? '' });
}

/** Keeps existing items, so that screen readers only read new ones. */
function renderComments(section: HTMLElement, comments: readonly Comment[]): void {
  const list = find(section, 'comment-list');
  if (!list) return;
  const known = new Map([...list.children].map(item => [(item as HTMLElement).dataset['comment'], item]));
  const wanted = comments.map(comment => known.get(comment.id) ?? commentItem(comment));
  for (const old of known.values()) if (!wanted.includes(old)) old.remove();
  for (const [index, element] of wanted.entries())
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
  const none = find(section, 'no-comments');
  if (none) none.hidden = comments.length > 0;
}

/** Creates the same item as `commentItem` on the server. */
function commentItem(comment: Comment): HTMLLIElement {
  const name = create('b', {}, create('bdi', {}, comment.name || phrases.anonymous));
  const by = create('p', { class: 'by' }, name, ' ', timeElement(comment.writtenAtMs));
  const text = create('p', { class: 'text', dir: 'auto' }, comment.text);
  return create('li', { 'data-comment': comment.id }, by, text);
}
