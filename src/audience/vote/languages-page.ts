import type { FastifyInstance } from 'fastify';
import { LANGUAGES, type Language } from '../../locales/catalogues.ts';
import { phrasesFor, phrasesIn } from '../../locales/phrases.ts';
import { limited } from '../../pages/guard/rate-limit.ts';
import { html } from '../../pages/page/html.ts';
import { SITE_NAME } from '../../pages/page/page.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';

/** Adds `/languages`, which leads back to the page before it, in another language. Needs no script. */
export async function languagesRoute(
  server: FastifyInstance,
  { limits, sendPage }: PageDependencies,
): Promise<void> {
  server.get('/languages', limited(limits, 'pages'), async (request, reply) => {
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

/** The path is one of this server, whatever another site sends. @param base path below which the site is */
function pageBefore(referrer = '', base: string): { readonly path: string; readonly query: URLSearchParams } {
  if (!URL.canParse(referrer)) return { path: '/', query: new URLSearchParams() };
  const { pathname, searchParams } = new URL(referrer);
  const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
  return { path: path === '/languages' ? '/' : path.replace(/^\/+/, '/'), query: searchParams };
}
