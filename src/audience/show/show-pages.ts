import type { FastifyInstance } from 'fastify';
import type { AudienceReport } from '../../engine/audience.ts';
import { fill } from '../../locales/i18n.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import type { KnownPolls } from '../../pages/guard/known-polls.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import { copyField, joinCodeField, joinCodeLine, noticeBox, votingQr } from '../../pages/page/components.ts';
import { html } from '../../pages/page/html.ts';
import { type Page, SITE_NAME } from '../../pages/page/page.ts';
import { pageLook } from '../../pages/page/page-look.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { addressInWords } from '../../poll/join-code.ts';
import { isPollId, type PollId, SHOW_NAME } from '../../poll/poll.ts';
import { readShow } from '../../show/rewrite-show.ts';
import { publicShow, type StoredShow } from '../../show/show.ts';
import { ShowLongPolls } from './long-polls.ts';

interface ShowDependencies extends PageDependencies {
  readonly audience: AudienceReport;
}

interface ShowParams {
  readonly Params: { readonly name: string };
}

/**
 * Adds the address of a show for its audience, which redirects to the poll on air.
 *
 * @returns what to close with the server
 */
export async function showRoutes(server: FastifyInstance, dependencies: ShowDependencies): Promise<void> {
  const { engine, shows, audience, polls, viewers, sendPage, relayUrl } = dependencies;
  const longPolls = new ShowLongPolls(engine, shows, relayUrl);
  audience.add(() => longPolls.audience);
  server.addHook('preClose', async () => longPolls.close());

  server.get<ShowParams>('/show/:name', async (request, reply) => {
    const { name } = request.params;
    const show = await readShow(engine, name);
    // The cookie must exist before a whole audience requests the next poll.
    await viewers.findOrCreate(request, reply);
    const poll = await findShownPoll(polls, show);
    reply.header('cache-control', 'no-store');
    if (poll) return reply.redirect(`/${poll}?show=${name}`, 302);
    return sendPage(reply, 200, waitingPage(phrasesFor(request), name, show, relayUrl));
  });

  // Each open page sends a request every 15 s, and one more after a switch.
  server.get<ShowParams & { Querystring: { known?: unknown; mark?: unknown; look?: unknown } }>(
    '/show/:name/live',
    async (request, reply) => {
      const { known, mark, look } = request.query;
      if (!SHOW_NAME.test(request.params.name)) throw new Rejection('page_not_found');
      const poll = typeof known === 'string' && isPollId(known) ? known : null;
      const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
      longPolls.hold(request.params.name, { poll, mark: textOf(mark), look: textOf(look) }, reply);
      return reply;
    },
  );

  server.get<ShowParams>('/show/:name/share', async (request, reply) => {
    const { name } = request.params;
    const show = await readShow(engine, name);
    return sendPage(reply, 200, sharePage(phrasesFor(request), dependencies, name, show));
  });
}

/** Returns the poll on air, or else the last one if it was opened. The simulated poll of a rehearsal does not count. */
async function findShownPoll(polls: KnownPolls, { onAir, last }: StoredShow): Promise<PollId | undefined> {
  if (onAir !== null && isPollId(onAir) && (await polls.find(onAir))) return onAir;
  if (last === null || last === onAir || !isPollId(last)) return undefined;
  const before = await polls.find(last);
  return before && before.results.status !== 'upcoming' ? last : undefined;
}

function waitingPage(phrases: Phrases, name: string, show: StoredShow, relayUrl: string): Page {
  const { title, onAir } = show;
  const { soon, reload } = phrases.show;
  const heading = title || soon.title;
  return {
    phrases,
    title: `${heading} - ${SITE_NAME}`,
    preview: { title: heading, description: soon.title },
    scripts: ['show.js'],
    sources: { logo: new URL(relayUrl).origin },
    look: pageLook(publicShow(name, show), relayUrl),
    body: html`<article data-show="${name}" data-on-air="${onAir}">
<h1 dir="auto"${!title && html` class="visually-hidden"`}>${heading}</h1>
${noticeBox({ tone: 'calm', ...soon })}
<noscript><p>${reload}</p></noscript>
</article>`,
  };
}

/** The links and QR code of a show, for everyone: without a key. */
function sharePage(
  phrases: Phrases,
  { voteUrl, relayUrl }: ShowDependencies,
  name: string,
  show: StoredShow,
): Page {
  const words = phrases.showShare;
  const { share } = phrases.create;
  const audience = `${voteUrl}/show/${name}`;
  const overlay = `${relayUrl}/overlay/show/${name}`;
  const code = `${relayUrl}/api/show/${name}/qr`;
  const copy = (id: string, label: string, text: string) => copyField(phrases, `copy-${id}`, label, text);
  return {
    phrases,
    title: `${words.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['show-share.js'],
    styles: ['creator.css', 'show-share.css'],
    body: html`<div class="stack show-share">
<header><h1>${words.title}</h1><p class="lead" dir="auto">${show.title || name}</p></header>
<section>
<h2>${words.audience}</h2>
<p class="scan" aria-hidden="true">${phrases.overlay.scan}</p>
${votingQr(phrases, audience)}
<p class="address" dir="ltr" aria-hidden="true">${addressInWords(audience)}</p>
${joinCodeLine(voteUrl, show.joinCode)}
${joinCodeField(phrases, voteUrl, show.joinCode)}
<p class="quiet">${words.hint}</p>
${copy('audience', share.link, audience)}
<p class="actions"><button type="button" class="quiet" data-print hidden>${words.print}</button>
<a class="button quiet" href="${code}.svg?size=1024">${fill(words.image, { format: 'SVG' })}</a> <a class="button quiet" href="${code}.png?size=2048">${fill(words.image, { format: 'PNG' })}</a></p>
</section>
<section>
<h2>${words.screens}</h2>
${copy('overlay', share.overlay, overlay)}
${copy('code', words.code, `${overlay}?style=code`)}
<p class="actions"><a class="button" href="/show/${name}/present">${phrases.present.link}</a> <a class="button quiet" href="${relayUrl}/overlay?show=${name}">${share.looks}</a></p>
</section>
</div>`,
  };
}
