import type { Poll } from '../../poll/poll.ts';
import type { Phrases } from '../../web/phrases.ts';
import { type Fragment, html, type Markup } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import { type FilledForm, MAX_NAME_LENGTH } from './ballot-form.ts';

export interface VotingForm {
  /** Ballot id, sealed for this poll and voter. */
  readonly token: Fragment;
  readonly check: Markup;
  readonly answers: readonly string[];
  readonly name: string;
}

/** One required choice makes all of its name required: a hundred answers are a hundred times as many bytes. */
export function votingForm({ vote }: Phrases, poll: Poll, form: VotingForm): Markup {
  const kind = poll.settings.allowMultiple ? 'checkbox' : 'radio';
  return html`<form class="vote" method="post" action="/${poll.id}/ballot" data-vote>
<input type="hidden" name="ballot" value="${form.token}">
<fieldset>
<legend>${poll.settings.allowMultiple ? vote.chooseSeveral : vote.chooseOne}</legend>
${poll.answers.map(
  ({ id, text }, index) =>
    html`<label class="answer" dir="auto"><input type="${kind}" name="answer" value="${id}"${
      form.answers.includes(id) && html` checked`
    }${kind === 'radio' && index === 0 && html` required`}><span>${text}</span></label>`,
)}
</fieldset>
${
  poll.settings.requireName &&
  html`<label class="field"><span>${vote.yourName}</span>
<input name="name" value="${form.name}" dir="auto" required maxlength="${MAX_NAME_LENGTH}" autocomplete="name" aria-describedby="name-hint">
<small id="name-hint">${vote.nameHint}</small></label>`
}
<noscript><p class="notice problem">${vote.needsScript}</p></noscript>
<div class="cast">
<button type="submit" data-submit>${vote.vote}</button>
${form.check}
</div>
</form>`;
}

/** The poll itself cannot be shown, but the form can be kept: everything in it, ballot id included, goes into the page. */
export function retryPage(phrases: Phrases, pollId: string, { fields }: FilledForm): Page {
  const { unreachable } = phrases.vote;
  const kept = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map(one => [name, String(one)] as const),
  );
  return {
    phrases,
    title: `${unreachable.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['page.js'],
    body: html`<h1 class="visually-hidden">${SITE_NAME}</h1>
${noticeBox({ tone: 'problem', ...unreachable })}
<form method="post" action="/${pollId}/ballot">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">${phrases.live.tryAgain}</button>
</form>`,
  };
}
