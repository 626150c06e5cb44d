import { find, focusNotice, localizeTimes } from '../../page/browser/dom.ts';
import { ShowFollower } from '../../page/browser/show-follower.ts';
import { followComments } from './live-comments.ts';
import { LivePoll } from './live-poll.ts';
import { VoteForm } from './vote-form.ts';

let live: LivePoll | undefined;
let comments: { close(): void } | undefined;
begin();

const article = find(document, 'poll');
const show = article && ShowFollower.showOf(article);
const movingOn =
  article && show !== undefined
    ? new ShowFollower(show, article.dataset['poll'] ?? '', {
        mark: article.dataset['mark'],
        onStanding: ({ state }) => live?.hear(state),
      })
    : undefined;

function begin(): void {
  localizeTimes(document);
  focusNotice();
  const form = find<HTMLFormElement>(document, 'vote');
  if (form) new VoteForm(form, draw);
  const [article, results] = [find(document, 'poll'), find(document, 'results')];
  live = article && results && new LivePoll(article, results, () => movingOn?.leave());
  const section = find(document, 'comments');
  comments = section && followComments(section);
}

/** In place of this page: to send the form again for it would count the rejection twice. */
function draw(page: Document): void {
  live?.close();
  comments?.close();
  document.title = page.title;
  document.querySelector('main')!.replaceWith(page.querySelector('main')!);
  drawCheck();
  begin();
}

interface ForeignCheck {
  render(box: HTMLElement, options: { readonly sitekey: string }): void;
}

/** Their scripts draw by themselves only what is on the page when they are loaded. */
function drawCheck(): void {
  const { turnstile, hcaptcha } = globalThis as Partial<Record<'turnstile' | 'hcaptcha', ForeignCheck>>;
  const box = document.querySelector<HTMLElement>('[data-sitekey]');
  if (box) (turnstile ?? hcaptcha)?.render(box, { sitekey: box.dataset['sitekey'] ?? '' });
}
