import { type Fragment, html, type Markup } from './html.ts';

/** What happened, whether the vote counts, and what can be done now. */
export interface Notice {
  readonly tone: 'good' | 'calm' | 'problem';
  readonly title: string;
  readonly text: Fragment;
  /** Name of the field whose change makes it past: a script takes it away then. */
  readonly settledBy?: 'answer' | 'name' | undefined;
}

/** Focus moves here when the page opens, so that it is read out first. */
export function noticeBox({ tone, title, text, settledBy }: Notice): Markup {
  const role = tone === 'problem' ? 'alert' : 'status';
  return html`<section class="notice ${tone}" role="${role}" aria-live="${tone === 'problem' ? 'assertive' : 'polite'}" tabindex="-1" data-focus${settledBy && html` data-settled-by="${settledBy}"`}>
<h2>${title}</h2>
${text && html`<p>${text}</p>`}
</section>`;
}
