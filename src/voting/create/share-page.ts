import { toString as drawQrCode } from 'qrcode';
import type { PollDraft } from '../../poll/poll-schema.ts';
import { html, Markup } from '../page/html.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import type { VotingFront } from '../voting-front.ts';
import type { CreatedPoll } from './create-poll.ts';

/** The one time that the keys are shown. */
export async function sharePage(front: VotingFront, created: CreatedPoll, draft: PollDraft): Promise<Page> {
  const { id, adminKey, viewKey } = created;
  const voteUrl = `${front.voteUrl}/${id}`;
  const qrCode = await drawQrCode(voteUrl, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
  return {
    title: `Your poll is ready - ${SITE_NAME}`,
    noindex: true,
    scripts: ['create.js'],
    body: html`<div class="stack">
<header><h1>Your poll is ready</h1><p class="lead" dir="auto">${draft.title}</p></header>
<section>
<h2>Let people vote</h2>
<div class="qr" role="img" aria-label="QR code of the voting link">${new Markup(qrCode)}</div>
${copyField('Voting link', voteUrl)}
${!draft.mip && html`<p class="quiet">One vote counts from each network: people on the same Wi-Fi count as one.</p>`}
<p class="actions"><a class="button" href="/${id}">Open the voting page</a></p>
</section>
<section class="notice calm">
<h2>Keep this to yourself</h2>
<p>The links below are shown this one time. Whoever has the first can close, change and delete your poll.</p>
${copyField('Your link to manage the poll', `${voteUrl}/manage#key=${adminKey}`)}
<p class="actions"><a class="button quiet" href="/${id}/manage#key=${adminKey}">Manage the poll</a></p>
</section>
<section>
<h2>Show the results</h2>
${copyField('Overlay for OBS, vMix and other browser sources', overlayUrl(front.relayUrl, id, viewKey))}
${copyField('Code for your own web page', embedCode(front.relayUrl, id), 2)}
<details class="fold"><summary>Keys for the API</summary>
${copyField('View key: reads the results, also while they are hidden', viewKey)}
${copyField('Admin key: reads the results and manages the poll', adminKey)}
${copyField('Address of the results', `${front.relayUrl}/api/poll/${id}`)}
</details>
</section>
</div>`,
  };
}

export function overlayUrl(relayUrl: string, id: string, viewKey: string): string {
  return `${relayUrl}/overlay/${id}#key=${viewKey}`;
}

function embedCode(relayUrl: string, id: string): string {
  return `<script src="${relayUrl}/widget.js" async></script>\n<poll-results poll="${id}"></poll-results>`;
}

/** Selected by a tap; the button to copy appears where a script can. */
export function copyField(label: string, text: string, rows = 1): Markup {
  const id = `copy-${label.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  return html`<div class="field copy" data-copy><label class="label" for="${id}">${label}</label>
${
  rows > 1
    ? html`<textarea id="${id}" readonly rows="${rows + 1}" spellcheck="false">${text}</textarea>`
    : html`<input id="${id}" readonly value="${text}" spellcheck="false">`
}<button type="button" class="quiet" data-copy-button hidden>Copy</button></div>`;
}
