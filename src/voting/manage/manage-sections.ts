import type { Reading } from '../../poll/poll.ts';
import { deadlineField, writeMoment } from '../page/deadline-field.ts';
import { html, type Markup } from '../page/html.ts';

/** The parts of the manage page that change something. */

export function actionForm(path: string, action: string, body: Markup): Markup {
  return html`<form method="post" action="${path}/${action}">${body}</form>`;
}

export function deadlineSection({ results: { deadlineMs } }: Reading, path: string): Markup {
  const value = deadlineMs === null ? '' : writeMoment(deadlineMs);
  return html`<section><h2>Deadline</h2>
${actionForm(path, 'deadline', html`${deadlineField({ value, offset: '' })}<button type="submit" class="quiet">Change the deadline</button>`)}</section>`;
}

export function showSection(relayUrl: string, path: string): Markup {
  return html`<section><h2>Show</h2>
<p>An overlay at <span class="address">${relayUrl}/overlay/show/&lt;name&gt;</span> follows whatever poll its show points to.</p>
${actionForm(
  path,
  'show',
  html`<label class="field"><span>Name of the show</span><input name="show" required minlength="3" maxlength="40" pattern="[a-z0-9][a-z0-9\\-]*" autocapitalize="none" autocomplete="off" placeholder="friday-night" aria-describedby="show-hint">
<small id="show-hint">Small letters, digits and hyphens.</small></label>
<label class="field"><span>Key of the show</span><input type="password" name="show_key" required autocomplete="off" spellcheck="false">
<small>It begins with show_ and was told when the show was created.</small></label><button type="submit" class="quiet">Show this poll there</button>`,
)}</section>`;
}

export function dangerSection(path: string): Markup {
  return html`<section class="notice problem"><h2>Delete this poll</h2>
<p>All votes, names and comments go with it, and every screen that shows it goes empty. Nobody can bring it back.</p>
${actionForm(
  path,
  'delete',
  html`<label class="field"><span>Type the word <i>delete</i></span><input name="confirmation" required autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<button type="submit" class="danger">Delete for ever</button>`,
)}</section>`;
}
