import type { Comment } from '../../engine/engine.ts';
import { isLoopback } from '../../http/loopback.ts';
import { qrCode, qrSvg } from '../../http/qr-code.ts';
import { fill, fillParts, type PageWording } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { addressInWords, formatJoinCode } from '../../poll/join-code.ts';
import { editedAtMs, emptyUntilMs, type Poll } from '../../poll/poll.ts';
import { type Fragment, html, Markup } from './html.ts';

export interface Notice {
  readonly tone: 'good' | 'calm' | 'problem';
  readonly title: string;
  readonly text: Fragment;
  /** Name of the field whose change makes a script remove the notice. */
  readonly settledBy?: 'answer' | 'name' | undefined;
}

/** Takes the focus when the page opens, so that screen readers read it first. */
export function noticeBox({ tone, title, text, settledBy }: Notice): Markup {
  const role = tone === 'problem' ? 'alert' : 'status';
  return html`<section class="notice ${tone}" role="${role}" aria-live="${tone === 'problem' ? 'assertive' : 'polite'}" tabindex="-1" data-focus${settledBy && html` data-settled-by="${settledBy}"`}>
<h2>${title}</h2>
${text && html`<p>${text}</p>`}
</section>`;
}

/** Writes a time in UTC; a script rewrites it in the reader's time zone. @param ms UNIX time in milliseconds */
export function timeElement(wording: PageWording, ms: number): Markup {
  return html`<time datetime="${new Date(ms).toISOString()}">${wording.dateTime(ms)} UTC</time>`;
}

/** States when a poll without ballots is deleted; empty for a poll that is kept. */
export function unvotedNote({ manage, wording }: Phrases, poll: Poll, deadlineMs: number | null): Fragment {
  const untilMs = emptyUntilMs(poll, deadlineMs);
  return (
    untilMs !== null &&
    html`<p class="quiet">${fillParts(manage.unvoted, { moment: timeElement(wording, untilMs) })}</p>`
  );
}

/**
 * Says that the poll was corrected after its first ballot, and what it said before, newest first;
 * empty if it was not.
 */
export function editedNote({ vote: { edited }, answerList, wording }: Phrases, poll: Poll): Fragment {
  const { earlier = [], answers } = poll;
  const editedMs = editedAtMs(poll);
  if (editedMs === undefined) return false;
  const positions = new Map(answers.map(({ id }, index) => [id, index + 1]));
  const moment = (ms: number) => ({ moment: timeElement(wording, ms) });
  return html`<details class="fold edited"><summary><span>${fillParts(edited.title, moment(editedMs))}</span></summary>
<ul>${earlier.toReversed().map(
    ({
      untilMs,
      title,
      description,
      answers: replaced = [],
    }) => html`<li><p class="by">${fillParts(edited.until, moment(untilMs))}</p>
${title !== undefined && html`<p class="text" dir="auto">${title}</p>`}
${description && html`<p class="text" dir="auto">${description}</p>`}
${replaced.map(({ id, text }) => html`<p class="text">${fill(answerList.answer, { number: wording.number(positions.get(id) ?? 0) })}: <bdi>${text}</bdi></p>`)}</li>`,
  )}</ul>
</details>`;
}

export function commentItem({ live, wording }: Phrases, comment: Comment, action?: Markup): Markup {
  const { id, name, text, writtenAtMs } = comment;
  return html`<li data-comment="${id}"><p class="by"><b><bdi>${name || live.anonymous}</bdi></b> ${timeElement(wording, writtenAtMs)}</p>
<p class="text" dir="auto">${text}</p>${action}</li>`;
}

/** Selected by a tap; a script shows the copy button. @param id of the field, unique on its page */
export function copyField({ live }: Phrases, id: string, label: string, text: string, rows = 1): Markup {
  return html`<div class="field copy" data-copy><label class="label" for="${id}">${label}</label>
${
  rows > 1
    ? html`<textarea id="${id}" dir="ltr" readonly rows="${rows + 1}" spellcheck="false">${text}</textarea>`
    : html`<input id="${id}" dir="ltr" readonly value="${text}" spellcheck="false">`
}<button type="button" class="quiet" data-copy-button hidden>${live.copy}</button></div>`;
}

/** @param viewKey also opens hidden results to everyone with this address */
export function overlayUrl(relayUrl: string, id: string, viewKey: string): string {
  return `${relayUrl}/overlay/${id}#key=${viewKey}`;
}

/** The QR code of a voting address, large enough to scan across a table, and whether a phone can open it. */
export function votingQr({ create, present }: Phrases, voteUrl: string): Markup {
  const name = (text: string) => html`<bdi dir="ltr">${text}</bdi>`;
  return html`<div class="qr" role="img" aria-label="${create.share.qrCode}">${new Markup(qrSvg(qrCode(voteUrl)))}</div>
${isLoopback(new URL(voteUrl).hostname) && html`<p class="notice problem"><b>${present.onlyHere}</b><br>${fillParts(present.cure, { option: name('--lan'), setting: name('VOTE_PUBLIC_URL') })}</p>`}`;
}

/** A join code in large figures beside where it is typed; nothing without a code. @param siteUrl of the front end */
export function joinCodeLine(siteUrl: string, code: string | undefined): Fragment {
  return (
    code !== undefined &&
    html`<p class="join-code" dir="ltr">${addressInWords(siteUrl)}/join <b>${formatJoinCode(code)}</b></p>`
  );
}

export function joinCodeField(phrases: Phrases, siteUrl: string, code: string | undefined): Fragment {
  const { label } = phrases.create.switches.join_code;
  return code !== undefined && copyField(phrases, 'copy-join', label, `${siteUrl}/join/${code}`);
}

/** Turns single-letter shortcuts off, for people who use speech input. The script that handles the keys shows it. */
export function shortcutsSwitch({ desk }: Phrases): Markup {
  return html`<label class="switch" data-shortcuts hidden><input type="checkbox" checked autocomplete="off"><span>${desk.shortcuts}</span></label>`;
}
