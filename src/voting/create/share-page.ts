import type { PollWithKeys } from '../../poll/create-poll.ts';
import type { ResultsVisibility } from '../../poll/poll.ts';
import { copyField, overlayUrl } from '../page/copy-field.ts';
import { html } from '../page/html.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import { votingQr } from '../page/voting-qr.ts';

/** Origins of this front end and of the relay, as the world reaches them. */
export interface SiteUrls {
  readonly voteUrl: string;
  readonly relayUrl: string;
}

const LOCKED_UNTIL: Record<ResultsVisibility, string> = {
  always: 'Shows the results as long as everybody may see them.',
  after_deadline: 'Locked until voting ends.',
  hidden: 'Locked until you show them.',
};

/** The one time that the keys are shown. */
export function sharePage(urls: SiteUrls, { created, adminKey, viewKey }: PollWithKeys): Page {
  const { title, id, settings } = created.poll;
  const { relayUrl } = urls;
  const voteUrl = `${urls.voteUrl}/${id}`;
  return {
    title: `Your poll is ready - ${SITE_NAME}`,
    noindex: true,
    scripts: ['create.js'],
    body: html`<div class="stack">
<header><h1>Your poll is ready</h1><p class="lead" dir="auto">${title}</p></header>
<section>
<h2>Let people vote</h2>
${votingQr(voteUrl)}
${copyField('Voting link', voteUrl)}
${!settings.mip && html`<p class="quiet">One vote counts from each network: people on the same Wi-Fi count as one.</p>`}
<p class="actions"><a class="button" href="/${id}">Open the voting page</a></p>
</section>
<section class="notice calm">
<h2>Keep this to yourself</h2>
<p>The links below are shown this one time. Whoever has the first can close, change and delete your poll: keep it where you find it again.</p>
${copyField('Your link to manage the poll', `${voteUrl}/manage#key=${adminKey}`)}
<p class="actions"><a class="button quiet" href="/${id}/manage#key=${adminKey}">Manage the poll</a></p>
</section>
<section>
<h2>Show the results</h2>
${copyField('Overlay for OBS, vMix and other browser sources', `${relayUrl}/overlay/${id}`)}
<p class="quiet">${LOCKED_UNTIL[created.resultsVisibility]}</p>
<p class="actions"><a class="button quiet" href="${relayUrl}/overlay?poll=${id}">Choose how it looks</a></p>
${copyField('Code for your own web page', embedCode(relayUrl, id), 2)}
<details class="fold"><summary>For your eyes: shows results now, hidden ones too</summary>
${copyField('Overlay that shows hidden results', overlayUrl(relayUrl, id, viewKey))}
<p class="quiet">Whoever sees this address, or a screen with it, sees the results before you show them.</p>
</details>
<details class="fold"><summary>Keys for the API</summary>
${copyField('View key: reads the results, also while they are hidden', viewKey)}
${copyField('Admin key: reads the results and manages the poll', adminKey)}
${copyField('Address of the results', `${relayUrl}/api/poll/${id}`)}
</details>
</section>
</div>`,
  };
}

function embedCode(relayUrl: string, id: string): string {
  return `<script src="${relayUrl}/widget.js" async></script>\n<poll-results poll="${id}"></poll-results>`;
}
