import { readdirSync } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { builtFolder, filesIn, serveFiles } from '../../http/assets.ts';
import type { Language } from '../../locales/catalogues.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { type CreateSlot, type Fragment, html, Markup, PageTemplate } from './html.ts';
import type { PageLook } from './messages.ts';
import { contentSecurityPolicy, type PageSources } from './security-headers.ts';

export const SITE_NAME = 'Tallycast';

export interface Page {
  readonly phrases: Phrases;
  readonly title: string;
  readonly preview?: { readonly title: string; readonly description: string } | undefined;
  /** For link previews: an absolute URL of a picture of 1200 × 630 pixels, and what it shows. */
  readonly image?: { readonly url: Fragment; readonly alt: string } | undefined;
  readonly noindex?: boolean;
  /** Has no footer. */
  readonly fillsWindow?: boolean;
  readonly body: Fragment;
  readonly scripts?: readonly AssetName[];
  readonly styles?: readonly AssetName[];
  readonly sources?: PageSources;
  /** Look of the show that the page belongs to. */
  readonly look?: PageLook | undefined;
  /** An inline style sheet after that of the look. */
  readonly css?: string | undefined;
  readonly foreignScripts?: readonly string[];
}

export type SendPage = (reply: FastifyReply, status: number, page: Page) => FastifyReply;

/** A page that is rendered once, with slots for the values of each reader. */
export interface PreparedPage<Values> {
  readonly length: number;
  send(reply: FastifyReply, status: number, values: Values): FastifyReply;
}

export type PreparePage = <Values>(build: (slot: CreateSlot<Values>) => Page) => PreparedPage<Values>;

export function pageSender(assets: PageAssets): SendPage {
  return (reply, status, page) =>
    reply.status(status).headers(headersOf(page)).send(renderPage(assets, page).text);
}

export function pagePreparer(assets: PageAssets): PreparePage {
  return <Values>(build: (slot: CreateSlot<Values>) => Page): PreparedPage<Values> => {
    let headers = {};
    const template = new PageTemplate<Values>(slot => {
      const page = build(slot);
      headers = headersOf(page);
      return renderPage(assets, page);
    });
    return {
      length: template.length,
      send: (reply, status, values) => reply.status(status).headers(headers).send(template.fill(values)),
    };
  };
}

function headersOf({ phrases, sources = {}, noindex, ...page }: Page): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    // Pages are personal, and must be current after the back button.
    'cache-control': 'private, no-store',
    'content-language': phrases.language,
    vary: 'accept-language, cookie',
    'content-security-policy': contentSecurityPolicy({ ...sources, style: styleOf(page) }),
    ...(noindex ? { 'x-robots-tag': 'noindex, nofollow' } : {}),
  };
}

function styleOf({ look, css = '' }: Pick<Page, 'look' | 'css'>): string {
  return `${look?.css ?? ''}${css}`;
}

function renderPage(assets: PageAssets, page: Page): Markup {
  const { phrases, preview, image, scripts = [], styles = [], foreignScripts = [], look } = page;
  const { language, direction } = phrases;
  const style = styleOf(page);
  return html`<!doctype html>
<html lang="${language}" dir="${direction}"${look && html` data-look="${look.mark}"`}>
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
${
  image &&
  html`<meta property="og:image" content="${image.url}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${image.alt}">
<meta property="twitter:card" content="summary_large_image">`
}
<meta property="og:site_name" content="${SITE_NAME}">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="stylesheet" href="${assets.path('voting.css')}">
${styles.map(name => html`<link rel="stylesheet" href="${assets.path(name)}">`)}
${style && html`<style>${new Markup(style)}</style>`}
${scripts.map(name => html`<script type="module" src="${assets.path(name, language)}"></script>`)}
${foreignScripts.map(url => html`<script async defer src="${url}"></script>`)}
</head>
<body>
${look?.logo && html`<img class="show-logo" src="${look.logo}" alt="">`}
<main>${page.body}</main>
${!page.fillsWindow && html`<footer><a href="/">${SITE_NAME}</a></footer>`}
</body>
</html>
`;
}

type AssetName =
  | 'voting.css'
  | 'faces.css'
  | 'creator.css'
  | 'ballots.css'
  | 'desk.css'
  | 'show-share.css'
  | 'present.css'
  | `${string}.js`;

const FOLDER = builtFolder('pages/assets');

/** Scripts and styles of the voting pages. The build adds the hash of their content to their names. */
export class PageAssets {
  readonly #paths = new Map(
    readdirSync(FOLDER).map(file => [file.replace(/\.\w+(?=\.\w+$)/, ''), `/assets/${file}`]),
  );

  /** Returns the path of an asset on this server. @param language of a script with phrases */
  path(name: AssetName, language: Language = 'en'): string {
    const path = this.#paths.get(name.replace('.', `.${language}.`)) ?? this.#paths.get(name);
    if (path === undefined) throw new Error(`${name} is missing: run the build first`);
    return path;
  }

  serve(server: FastifyInstance): void {
    serveFiles(server, '/assets', [...filesIn(FOLDER), ...filesIn(builtFolder('fonts'))]);
  }
}
