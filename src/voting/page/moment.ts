import type { Wording } from '../phrase/wording.ts';
import { html, type Markup } from './html.ts';

/** A moment in words, in UTC; a script rewrites it in the reader's own zone. @param ms UNIX time in milliseconds */
export function moment(wording: Wording, ms: number): Markup {
  return html`<time datetime="${new Date(ms).toISOString()}">${wording.moment(ms)} UTC</time>`;
}
