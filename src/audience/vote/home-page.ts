import type { FastifyInstance } from 'fastify';
import { LANGUAGES, type Language } from '../../locales/catalogues.ts';
import { fillParts } from '../../locales/i18n.ts';
import { type Phrases, phrasesFor, phrasesIn } from '../../locales/phrases.ts';
import { timeElement } from '../../pages/page/components.ts';
import { type Fragment, html, type Markup } from '../../pages/page/html.ts';
import { SITE_NAME } from '../../pages/page/page.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { Reading } from '../../poll/poll.ts';
import { REHEARSAL_ID } from '../../poll/rehearsal.ts';
import { joinForm } from './join-page.ts';

const LISTED_POLLS = 50;

/** Adds the home page, with the public polls, and the menu of languages. */
export async function homeRoutes(
  server: FastifyInstance,
  { engine: { polls }, sendPage, relayUrl }: PageDependencies,
): Promise<void> {
  server.get('/', async (request, reply) => {
    const ids = await polls.listPublic(LISTED_POLLS);
    const readings = await Promise.all(ids.map(id => polls.find(id)));
    const found = readings.filter(reading => reading !== undefined);
    const phrases = phrasesFor(request);
    const { device, answerList } = phrases;
    const { start, join } = phrases.vote;
    const { origin } = new URL(relayUrl);
    const states = { open: start.open, upcoming: start.upcoming, closed: start.ended };
    return sendPage(reply, 200, {
      phrases,
      title: SITE_NAME,
      preview: { title: SITE_NAME, description: start.preview },
      scripts: ['home.js'],
      styles: ['creator.css'],
      sources: { frame: origin, connect: [origin] },
      body: html`<div class="home">
<header class="masthead"><img src="/icon.svg" alt="" width="48" height="48"><h1>${SITE_NAME}</h1>
<p class="lead">${start.lead}</p>
<p class="actions"><a class="button" href="/new">${start.create}</a></p></header>
${joinForm(phrases, join.title)}
<div class="living" data-label="${start.picture}" data-picture="${relayUrl}/overlay/${REHEARSAL_ID}?scene=full&lang=${phrases.language}#preview"></div>
<ul class="polls doors">${[
        item('/desk', html`<b>${phrases.desk.takeTitle}</b>`, phrases.desk.takeLead),
        item(
          `${relayUrl}/overlay?poll=${REHEARSAL_ID}`,
          html`<b>${phrases.create.share.looks}</b>`,
          start.overlay,
        ),
      ]}</ul>
<section data-device="${JSON.stringify(states)}" data-relay="${relayUrl}" aria-labelledby="device-title" tabindex="-1" hidden>
<h2 id="device-title">${device.title}</h2>
<ul class="polls device" data-device-polls></ul>
<p class="actions"><button type="button" class="quiet" data-forget-all>${device.forgetAll}</button><button type="button" class="quiet" data-undo>${answerList.undo}</button></p>
</section>
<section aria-labelledby="polls-title">
<h2 id="polls-title">${start.publicPolls}</h2>
${
  found.length === 0
    ? html`<p class="quiet">${start.none}</p>`
    : html`<ul class="polls">${found.map(reading => item(`/${reading.poll.id}`, html`<bdi>${reading.poll.title}</bdi>`, stateText(phrases, reading)))}</ul>`
}
</section></div>`,
    });
  });

  // Leads back to the page before it, in another language. Needs no script.
  server.get('/languages', async (request, reply) => {
    const phrases = phrasesFor(request);
    const { language: title } = phrases.vote.start;
    const { path, query } = pageBefore(request.headers.referer, server.basePath);
    const link = (language: Language) => {
      query.set('lang', language);
      return html`<li><a href="${path}?${query.toString()}" lang="${language}" hreflang="${language}">${phrasesIn(language).ownName}</a></li>`;
    };
    return sendPage(reply, 200, {
      phrases,
      title: `${title} - ${SITE_NAME}`,
      noindex: true,
      styles: ['creator.css'],
      body: html`<h1>${title}</h1>
<ul class="polls">${LANGUAGES.map(link)}</ul>`,
    });
  });
}

function item(address: string, name: Markup, text: Fragment): Markup {
  return html`<li><a href="${address}">${name} <small class="state">${text}</small></a></li>`;
}

/** Without counts, which may be hidden. */
function stateText({ vote: { start }, wording }: Phrases, { results }: Reading): Fragment {
  const { status, deadlineMs } = results;
  if (status === 'closed') return start.ended;
  if (status === 'upcoming') return start.upcoming;
  if (deadlineMs === null) return start.open;
  return fillParts(start.openUntil, { moment: timeElement(wording, deadlineMs) });
}

/** The path is one of this server, whatever another site sends. @param base path below which the site is */
function pageBefore(referrer = '', base: string): { readonly path: string; readonly query: URLSearchParams } {
  if (!URL.canParse(referrer)) return { path: '/', query: new URLSearchParams() };
  const { pathname, searchParams } = new URL(referrer);
  const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
  return { path: path === '/languages' ? '/' : path.replace(/^\/+/, '/'), query: searchParams };
}
