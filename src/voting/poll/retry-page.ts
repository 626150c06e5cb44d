import { html } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import type { FilledForm } from './ballot-form.ts';

const NOTICE = {
  tone: 'problem',
  title: 'We cannot reach the votes right now',
  text: 'We do not know yet whether your vote was counted. Press the button until you hear: it cannot count twice.',
} as const;

/** The poll itself cannot be shown, but the form can be kept: everything in it, ballot id included, goes into the page. */
export function retryPage(pollId: string, { fields }: FilledForm): Page {
  const kept = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map(one => [name, String(one)] as const),
  );
  return {
    title: `${NOTICE.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['page.js'],
    body: html`<h1 class="visually-hidden">${SITE_NAME}</h1>
${noticeBox(NOTICE)}
<form method="post" action="/${pollId}/ballot">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">Try again</button>
</form>`,
  };
}
