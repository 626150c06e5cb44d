import type { Phrases } from '../../web/phrases.ts';
import { html, type Markup } from './html.ts';

/** Turns single-letter keys off, for people whose software types letters; shown by the script that listens for them. */
export function shortcutsSwitch({ live }: Phrases): Markup {
  return html`<label class="switch" data-shortcuts hidden><input type="checkbox" checked autocomplete="off"><span>${live.shortcuts}</span></label>`;
}
