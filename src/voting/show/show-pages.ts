import type { Show } from '../../show/shows.ts';
import { fill } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import { copyField } from '../page/copy-field.ts';
import { html } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import { votingQr } from '../page/voting-qr.ts';

/** Where nothing is on air, and nothing was. What is on air and was deleted is nothing. */
export function waitingPage(
  phrases: Phrases,
  { name, title, onAir }: Pick<Show, 'name' | 'title' | 'onAir'>,
): Page {
  const { soon, reload } = phrases.show;
  const heading = title || soon.title;
  return {
    phrases,
    title: `${heading} - ${SITE_NAME}`,
    preview: { title: heading, description: soon.title },
    scripts: ['show.js'],
    body: html`<article data-show="${name}" data-on-air="${onAir}">
<h1 dir="auto"${!title && html` class="visually-hidden"`}>${heading}</h1>
${noticeBox({ tone: 'calm', ...soon })}
<noscript><p>${reload}</p></noscript>
</article>`,
  };
}

/** Origins of this front end and of the relay, as the world reaches them. */
export interface ShowUrls {
  readonly voteUrl: string;
  readonly relayUrl: string;
}

/**
 * All addresses of a show, and its code to point a camera at or to print. Nothing here is secret: the key of the show comes in the
 * fragment, where it reaches no server, and a script adds it to the way to the desk.
 */
export function showSharePage(phrases: Phrases, { voteUrl, relayUrl }: ShowUrls, show: Show): Page {
  const words = phrases.showShare;
  const { share } = phrases.create;
  const { name } = show;
  const audience = `${voteUrl}/show/${name}`;
  const overlay = `${relayUrl}/overlay/show/${name}`;
  const code = `${relayUrl}/api/show/${name}/qr`;
  const copy = (id: string, label: string, text: string) => copyField(phrases, `copy-${id}`, label, text);
  return {
    phrases,
    title: `${words.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['show-share.js'],
    styles: ['show-share.css'],
    body: html`<div class="stack show-share">
<header><h1>${words.title}</h1><p class="lead" dir="auto">${show.title || name}</p></header>
<section>
<h2>${words.audience}</h2>
<p class="scan" aria-hidden="true">${words.scan}</p>
${votingQr(phrases, audience)}
<p class="address" dir="ltr" aria-hidden="true">${audience.replace(/^https?:\/\//, '')}</p>
<p class="quiet">${words.hint}</p>
${copy('audience', share.link, audience)}
<p class="actions"><button type="button" class="quiet" data-print hidden>${words.print}</button>
<a class="button quiet" href="${code}.svg?size=1024">${fill(words.image, { format: 'SVG' })}</a> <a class="button quiet" href="${code}.png?size=2048">${fill(words.image, { format: 'PNG' })}</a></p>
</section>
<section>
<h2>${words.screens}</h2>
${copy('overlay', share.overlay, overlay)}
${copy('code', words.code, `${overlay}?style=code`)}
<p class="actions"><a class="button quiet" href="${relayUrl}/overlay?show=${name}">${share.looks}</a></p>
</section>
<section>
<h2>${words.desk}</h2>
${copy('desk', words.deskLink, `${voteUrl}/desk/${name}`)}
<p class="quiet">${words.deskHint}</p>
<p class="actions"><a class="button" href="/desk/${name}" data-desk>${words.toDesk}</a></p>
</section>
</div>`,
  };
}
