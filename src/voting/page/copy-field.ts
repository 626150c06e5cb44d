import type { Phrases } from '../../web/phrases.ts';
import { html, type Markup } from './html.ts';

/**
 * Selected by a tap; the button to copy appears where a script can.
 *
 * @param id of the field, alone on its page
 */
export function copyField({ live }: Phrases, id: string, label: string, text: string, rows = 1): Markup {
  return html`<div class="field copy" data-copy><label class="label" for="${id}">${label}</label>
${
  rows > 1
    ? html`<textarea id="${id}" dir="ltr" readonly rows="${rows + 1}" spellcheck="false">${text}</textarea>`
    : html`<input id="${id}" dir="ltr" readonly value="${text}" spellcheck="false">`
}<button type="button" class="quiet" data-copy-button hidden>${live.copy}</button></div>`;
}

/** @param viewKey opens hidden results too: whoever has the address sees them */
export function overlayUrl(relayUrl: string, id: string, viewKey: string): string {
  return `${relayUrl}/overlay/${id}#key=${viewKey}`;
}
