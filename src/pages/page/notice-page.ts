import type { Phrases } from '../../locales/phrases.ts';
import { type Notice, noticeBox } from './components.ts';
import { type Fragment, html } from './html.ts';
import { type Page, SITE_NAME } from './page.ts';

/** A page that says one thing. @param next how to go on */
export function noticePage(phrases: Phrases, notice: Notice, next: Fragment): Page {
  return {
    phrases,
    title: `${notice.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['page.js'],
    body: html`<h1 class="visually-hidden">${SITE_NAME}</h1>
${noticeBox(notice)}
${next}`,
  };
}
