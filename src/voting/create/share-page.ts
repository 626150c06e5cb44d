import type { PollWithKeys } from '../../poll/create-poll.ts';
import type { Phrases } from '../../web/phrases.ts';
import { copyField, overlayUrl } from '../page/copy-field.ts';
import { html } from '../page/html.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import { unvotedNote } from '../page/time-element.ts';
import { votingQr } from '../page/voting-qr.ts';

/** Origins of this front end and of the relay, as the world reaches them. */
export interface SiteUrls {
  readonly voteUrl: string;
  readonly relayUrl: string;
}

/** The one time that the keys are shown. */
export function sharePage(
  phrases: Phrases,
  urls: SiteUrls,
  { created, adminKey, viewKey }: PollWithKeys,
): Page {
  const words = phrases.create.share;
  const copy = (name: string, label: string, text: string, rows?: number) =>
    copyField(phrases, `copy-${name}`, label, text, rows);
  const { title, id, settings } = created.poll;
  const { relayUrl } = urls;
  const voteUrl = `${urls.voteUrl}/${id}`;
  return {
    phrases,
    title: `${words.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['create.js'],
    body: html`<div class="stack">
<header><h1>${words.title}</h1><p class="lead" dir="auto">${title}</p></header>
<section>
<h2>${words.vote}</h2>
${votingQr(phrases, voteUrl)}
${copy('vote', words.link, voteUrl)}
${!settings.sharedAddress && html`<p class="quiet">${words.oneEach}</p>`}
<p class="actions"><a class="button" href="/${id}">${words.open}</a></p>
</section>
<section class="notice calm">
<h2>${words.private}</h2>
<p>${words.once}</p>
${copy('manage', words.manageLink, `${voteUrl}/manage#key=${adminKey}`)}
${unvotedNote(phrases, created.poll, created.deadlineMs)}
<p class="actions"><a class="button quiet" href="/${id}/manage#key=${adminKey}">${words.manage}</a></p>
</section>
<section>
<h2>${words.results}</h2>
${copy('overlay', words.overlay, `${relayUrl}/overlay/${id}`)}
<p class="quiet">${words.shown[created.resultsVisibility]}</p>
<p class="actions"><a class="button quiet" href="${relayUrl}/overlay?poll=${id}">${words.looks}</a>
<a class="button quiet" href="/desk">${phrases.desk.several}</a></p>
${copy('embed', words.embed, embedCode(relayUrl, id), 2)}
<details class="fold"><summary>${words.forYou}</summary>
${copy('open-overlay', words.openOverlay, overlayUrl(relayUrl, id, viewKey))}
<p class="quiet">${words.openHint}</p>
</details>
<details class="fold"><summary>${words.keys}</summary>
${copy('view-key', words.viewKey, viewKey)}
${copy('admin-key', words.adminKey, adminKey)}
${copy('results', words.address, `${relayUrl}/api/poll/${id}`)}
</details>
</section>
</div>`,
  };
}

function embedCode(relayUrl: string, id: string): string {
  return `<script src="${relayUrl}/widget.js" async></script>\n<poll-results poll="${id}"></poll-results>`;
}
