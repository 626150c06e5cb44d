import type { FastifyInstance } from 'fastify';
import { isLoopback } from '../../http/loopback.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import { POLL_PATH, type PollParams } from '../../pages/guard/known-polls.ts';
import { html, type Markup } from '../../pages/page/html.ts';
import { type Page, SITE_NAME } from '../../pages/page/page.ts';
import { relaySources } from '../../pages/page/security-headers.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { addressParts } from '../../picture/draw/code.ts';
import { lookOfPoll, lookQuery } from '../../picture/show-look.ts';
import { winnerStateOf } from '../../poll/aired-winner.ts';
import { isPollId, type Reading } from '../../poll/poll.ts';
import { readShow } from '../../show/rewrite-show.ts';
import { ownsPoll } from '../../show/show.ts';
import { winnerOnAir } from '../../show/winner.ts';

interface Presented {
  /** On relay and voting front end, such as `/show/friday-night`. */
  readonly path: string;
  /** On the relay's API, such as `/api/show/friday-night`. */
  readonly apiPath: string;
  readonly title: string;
  /** Parameters of the overlay. */
  readonly look: URLSearchParams;
  readonly reading: Reading | undefined;
  readonly joinCode: string | undefined;
  /** It comes on a press of the show, later. */
  readonly lacksWinner?: boolean;
}

/** Without a script, the page loads itself again. */
const RELOAD_S = 15;

/** Adds the pages that a room sees on its screen. They are public and have no key. */
export async function presentRoutes(server: FastifyInstance, dependencies: PageDependencies): Promise<void> {
  const { engine, polls, shows, sendPage } = dependencies;

  server.get<PollParams>(`${POLL_PATH}/present`, async (request, reply) => {
    const reading = await polls.read(request.params.id);
    const { id, title, show: owner, joinCode } = reading.poll;
    const show = owner && (await shows.find(owner.name));
    const look = lookQuery(show && ownsPoll(show, owner) ? lookOfPoll(show, id) : {});
    const presented = { path: `/${id}`, apiPath: `/api/poll/${id}`, title, look, reading, joinCode };
    return sendPage(reply, 200, presentPage(phrasesFor(request), dependencies, presented));
  });

  server.get<{ Params: { name: string } }>('/show/:name/present', async (request, reply) => {
    const { name } = request.params;
    const show = await readShow(engine, name);
    const { title, onAir, joinCode } = show;
    const path = `/show/${name}`;
    const reading = onAir !== null && isPollId(onAir) ? await polls.find(onAir) : undefined;
    const lacksWinner = !!reading && winnerStateOf(winnerOnAir(show, onAir), reading.poll) === 'pending';
    const look = new URLSearchParams();
    const apiPath = `/api${path}`;
    const presented = { path, apiPath, title: title || name, look, reading, joinCode, lacksWinner };
    return sendPage(reply, 200, presentPage(phrasesFor(request), dependencies, presented));
  });
}

function presentPage(phrases: Phrases, site: PageDependencies, presented: Presented): Page {
  const { relayUrl, voteUrl } = site;
  const { path, title, look } = presented;
  const query = new URLSearchParams([...look, ['scene', 'full'], ['qr', 'right']]);
  const isHere = isLoopback(new URL(voteUrl).hostname);
  return {
    phrases,
    title: `${title} - ${SITE_NAME}`,
    noindex: true,
    fillsWindow: true,
    scripts: ['present.js'],
    styles: ['present.css'],
    sources: { connect: relaySources(relayUrl), logo: new URL(relayUrl).origin },
    body: html`<div class="present" data-overlay="${relayUrl}/overlay${path}?${query.toString()}" data-title="${title}" data-gone="${phrases.live.deleted}" data-note="${isHere && phrases.present.onlyHere}">
<button type="button" class="quiet" aria-keyshortcuts="F" hidden>${phrases.present.fullScreen}</button>
<noscript>${stillPicture(phrases, site, presented)}</noscript>
</div>`,
  };
}

/** The picture as it is when the page is loaded, which the page does again and again. */
function stillPicture(
  phrases: Phrases,
  { relayUrl, voteUrl }: PageDependencies,
  presented: Presented,
): Markup {
  const { path, apiPath, title, look, reading, joinCode, lacksWinner } = presented;
  const { status = 'upcoming' } = reading?.results ?? {};
  const query = new URLSearchParams([...look, ['scene', 'full'], ['size', '1920x1080']]);
  if (lacksWinner) query.set('winner', '0');
  const picture = `${relayUrl}/api/poll/${reading?.poll.id}/picture.png?${query.toString()}`;
  return html`<meta http-equiv="refresh" content="${RELOAD_S}">
<h1 dir="auto">${title}</h1>
${status === 'upcoming' ? html`<p>${phrases.overlay.upcoming}</p>` : html`<img src="${picture}" alt="${phrases.vote.results}">`}
${
  status !== 'closed' &&
  html`<img class="code" src="${relayUrl}${apiPath}/qr.svg" alt="${phrases.create.share.qrCode}">
<p dir="ltr">${addressParts({ address: `${voteUrl}${path}`, joinCode }).join(' · ')}</p>`
}`;
}
