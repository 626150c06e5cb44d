import type { Poll } from '../../poll/poll.ts';
import { html, type Markup } from '../page/html.ts';
import { MAX_NAME_LENGTH } from './ballot-form.ts';

export interface VotingForm {
  /** Ballot id, sealed for this poll and voter. */
  readonly token: string;
  readonly check: Markup;
  readonly answers: readonly string[];
  readonly name: string;
}

export function votingForm(poll: Poll, form: VotingForm): Markup {
  const kind = poll.settings.ma ? 'checkbox' : 'radio';
  return html`<form class="vote" method="post" action="/${poll.id}/ballot" data-vote>
<input type="hidden" name="ballot" value="${form.token}">
<fieldset>
<legend>${poll.settings.ma ? 'Choose one or more' : 'Choose one'}</legend>
${poll.answers.map(
  ({ id, text }) =>
    html`<label class="answer" dir="auto"><input type="${kind}" name="answer" value="${id}"${
      form.answers.includes(id) && html` checked`
    }${kind === 'radio' && html` required`}><span>${text}</span></label>`,
)}
</fieldset>
${
  poll.settings.enter_name &&
  html`<label class="field"><span>Your name</span>
<input name="name" value="${form.name}" required maxlength="${MAX_NAME_LENGTH}" autocomplete="name" aria-describedby="name-hint">
<small id="name-hint">The creator of this poll sees it beside your vote.</small></label>`
}
<noscript><p class="notice problem">Voting needs JavaScript, for the check that you are human. Allow it for this site and reload the page.</p></noscript>
<div class="cast">
<button type="submit" data-submit>Vote</button>
${form.check}
</div>
</form>`;
}
