import type { Reading } from '../../poll/poll.ts';
import { fillParts } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import { deadlineField, writeMoment } from '../page/deadline-field.ts';
import { html, type Markup } from '../page/html.ts';

/** The parts of the manage page that change something. */

export function actionForm(path: string, action: string, body: Markup): Markup {
  return html`<form method="post" action="${path}/${action}">${body}</form>`;
}

export function deadlineSection(
  phrases: Phrases,
  { results: { deadlineMs } }: Reading,
  path: string,
): Markup {
  const { title, button, ...words } = phrases.manage.deadline;
  const value = deadlineMs === null ? '' : writeMoment(deadlineMs);
  return html`<section><h2>${title}</h2>
${actionForm(path, 'deadline', html`${deadlineField(phrases, { value, offset: '', ...words })}<button type="submit" class="quiet">${button}</button>`)}</section>`;
}

export function showSection({ manage: { onAir } }: Phrases, relayUrl: string, path: string): Markup {
  return html`<section><h2>${onAir.title}</h2>
<p>${fillParts(onAir.text, { address: html`<bdi class="address">${relayUrl}/overlay/show/&lt;name&gt;</bdi>` })}</p>
${actionForm(
  path,
  'show',
  html`<label class="field"><span>${onAir.name}</span><input name="show" dir="ltr" required minlength="3" maxlength="40" pattern="[a-z0-9][a-z0-9\\-]*" autocapitalize="none" autocomplete="off" placeholder="friday-night" aria-describedby="show-hint">
<small id="show-hint">${onAir.nameHint}</small></label>
<label class="field"><span>${onAir.key}</span><input type="password" name="show_key" required autocomplete="off" spellcheck="false">
<small>${onAir.keyHint}</small></label><button type="submit" class="quiet">${onAir.button}</button>`,
)}</section>`;
}

export function dangerSection({ manage: { remove } }: Phrases, path: string): Markup {
  return html`<section class="notice problem"><h2>${remove.title}</h2>
<p>${remove.text}</p>
${actionForm(
  path,
  'delete',
  html`<label class="field"><span>${fillParts(remove.confirm, { word: html`<i>${remove.word}</i>` })}</span><input name="confirmation" required autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<button type="submit" class="danger">${remove.button}</button>`,
)}</section>`;
}
