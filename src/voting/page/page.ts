import type { FastifyReply } from 'fastify';
import type { Phrases } from '../../web/phrases.ts';
import { type Fragment, html, type LeaveOpen, type Markup, PageTemplate } from './html.ts';
import type { AssetName, PageAssets } from './page-assets.ts';
import { contentSecurityPolicy, type PageSources } from './security-headers.ts';

export const SITE_NAME = 'Tallycast';

/** One whole page: what `sendPage` needs to know beside the content. */
export interface Page {
  /** Of what the page says; what people wrote into it is in whatever language. */
  readonly phrases: Phrases;
  readonly title: string;
  /** In the head's words for search engines and link previews; left out, there are none. */
  readonly preview?: { readonly title: string; readonly description: string } | undefined;
  readonly noindex?: boolean;
  readonly body: Fragment;
  readonly scripts?: readonly AssetName[];
  /** Beside the one of all pages. */
  readonly styles?: readonly AssetName[];
  readonly sources?: PageSources;
  /** Scripts from a human check's own servers. */
  readonly foreignScripts?: readonly string[];
}

export type SendPage = (reply: FastifyReply, status: number, page: Page) => FastifyReply;

/** A page that many get, each with something of their own in it. */
export interface PreparedPage<Values> {
  /** Characters that are always the same. */
  readonly length: number;
  send(reply: FastifyReply, status: number, values: Values): FastifyReply;
}

export type PreparePage = <Values>(build: (leaveOpen: LeaveOpen<Values>) => Page) => PreparedPage<Values>;

/** Pages name their scripts and styles; where those are served is known here alone. */
export function pageSender(assets: PageAssets): SendPage {
  return (reply, status, page) =>
    reply.status(status).headers(headersOf(page)).send(renderPage(assets, page).text);
}

export function pagePreparer(assets: PageAssets): PreparePage {
  return <Values>(build: (leaveOpen: LeaveOpen<Values>) => Page): PreparedPage<Values> => {
    let headers = {};
    const template = new PageTemplate<Values>(leaveOpen => {
      const page = build(leaveOpen);
      headers = headersOf(page);
      return renderPage(assets, page);
    });
    return {
      length: template.length,
      send: (reply, status, values) => reply.status(status).headers(headers).send(template.fill(values)),
    };
  };
}

function headersOf({ phrases, sources = {}, noindex }: Page): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    // Each page is one voter's own, and going back must show what is true now.
    'cache-control': 'private, no-store',
    'content-language': phrases.language,
    vary: 'accept-language, cookie',
    'content-security-policy': contentSecurityPolicy(sources),
    ...(noindex ? { 'x-robots-tag': 'noindex, nofollow' } : {}),
  };
}

function renderPage(assets: PageAssets, page: Page): Markup {
  const { phrases, preview, scripts = [], styles = [], foreignScripts = [] } = page;
  const { language, direction } = phrases;
  return html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
${page.noindex && html`<meta name="robots" content="noindex, nofollow">`}
${
  preview &&
  html`<meta name="description" content="${preview.description}">
<meta property="og:title" content="${preview.title}">
<meta property="og:description" content="${preview.description}">`
}
<meta property="og:site_name" content="${SITE_NAME}">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="stylesheet" href="${assets.path('voting.css')}">
${styles.map(name => html`<link rel="stylesheet" href="${assets.path(name)}">`)}
${scripts.map(name => html`<script type="module" src="${assets.path(name, language)}"></script>`)}
${foreignScripts.map(url => html`<script async defer src="${url}"></script>`)}
</head>
<body>
<main>${page.body}</main>
<footer><a href="/">${SITE_NAME}</a></footer>
</body>
</html>
`;
}
