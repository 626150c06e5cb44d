import { html, type Markup } from './html.ts';

const WRITTEN = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** A moment in words, in UTC; a script rewrites it in the reader's own zone. @param ms UNIX time in milliseconds */
export function moment(ms: number): Markup {
  return html`<time datetime="${new Date(ms).toISOString()}">${WRITTEN.format(ms)} UTC</time>`;
}

const COUNT = new Intl.NumberFormat('en');

export function count(number: number, one: string, many: string): string {
  return `${COUNT.format(number)} ${number === 1 ? one : many}`;
}
