import { emptyUntilMs, type Poll } from '../../poll/poll.ts';
import { fillParts, type PageWording } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import { type Fragment, html, type Markup } from './html.ts';

/** Until when a poll without a ballot is kept; nothing where it stays. */
export function unvotedNote({ manage, wording }: Phrases, poll: Poll, deadlineMs: number | null): Fragment {
  const untilMs = emptyUntilMs(poll, deadlineMs);
  return (
    untilMs !== null &&
    html`<p class="quiet" data-unvoted>${fillParts(manage.unvoted, { moment: timeElement(wording, untilMs) })}</p>`
  );
}

/** A moment in words, in UTC; a script rewrites it in the reader's own zone. @param ms UNIX time in milliseconds */
export function timeElement(wording: PageWording, ms: number): Markup {
  return html`<time datetime="${new Date(ms).toISOString()}">${wording.dateTime(ms)} UTC</time>`;
}
