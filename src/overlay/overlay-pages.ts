import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Asset,
  builtFolder,
  readAsset,
  sendAsset,
  serveFile,
  serveFiles,
  serveFonts,
  toAsset,
} from '../http/assets.ts';
import type { Language } from '../locales/catalogues.ts';
import { fill } from '../web/i18n.ts';
import { languageOf, phrasesIn } from '../web/phrases.ts';
import { playoutTemplates } from './playout-templates.ts';

export interface OverlayPagesOptions {
  /** Where the relay is reached from outside, without a slash at the end; written into templates that are downloaded. */
  readonly publicUrl?: string | undefined;
  /** Where people vote, without a slash at the end. */
  readonly voteUrl?: string | undefined;
  /** Where the built files are, if not where the build puts them. */
  readonly assets?: URL | undefined;
  /** Where the built fonts are, if not where the build puts them. */
  readonly fonts?: URL | undefined;
}

/** Pages load nothing from elsewhere and run nothing that is not in a file of ours. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self' ws: wss:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Of a poll, or of a show. */
const VOTE_PLACE = /^(\/show)?\/[\w-]{1,64}$/;

/** Readable from any origin: loader, widget and renderers live elsewhere. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};
const PAGE_HEADERS = { ...HEADERS, 'content-security-policy': CONTENT_SECURITY_POLICY };
const LOADER_HEADERS = {
  ...HEADERS,
  'content-disposition': 'attachment; filename="tallycast-loader.html"',
};

/** Files that pages ask for by name; nothing else under `/overlay/assets/` exists. */
const ASSETS = ['browser/overlay.js', 'browser/builder.js', 'page/overlay.css', 'page/builder.css'];

/**
 * Serves the overlay, its builder, the loader file, the widget's script and the templates for playout servers.
 * An overlay's page is the same for every poll and every parameter, right or wrong: what is drawn is decided in
 * the browser, so a faulty URL can never make a blank page of an error.
 */
export async function overlayPages(app: FastifyInstance, options: OverlayPagesOptions): Promise<void> {
  const folder = options.assets ?? builtFolder('overlay');
  const built = (path: string) => new URL(path, folder);
  serveBuilder(app, built('page/builder.html'));
  serveFile(app, ['/overlay/:id', '/overlay/show/:name'], built('page/overlay.html'), PAGE_HEADERS);
  serveFile(app, ['/overlay/loader.html'], built('page/loader.html'), LOADER_HEADERS);
  serveFile(app, ['/widget.js'], built('browser/widget.js'), HEADERS);
  serveFile(app, ['/client.js'], built('browser/client.js'), HEADERS);
  serveFiles(app, '/overlay/assets', ASSETS.map(built), HEADERS);
  serveFonts(app, options.fonts);
  addWayToVote(app, options.voteUrl);
  await playoutTemplates(app, { folder, publicUrl: options.publicUrl, headers: HEADERS });
}

/** Serves the builder in the reader's language. `?lang=` is not read: here it is the overlay's language. */
function serveBuilder(app: FastifyInstance, file: URL): void {
  const pages = new Map<Language, Asset>();
  app.get('/overlay', async ({ headers }, reply) => {
    const language = languageOf({ headers });
    const page = pages.get(language) ?? toAsset(builderPage(readAsset(file), language));
    pages.set(language, page);
    reply.headers({ ...PAGE_HEADERS, 'content-language': language });
    return sendAsset(reply.request, reply, page, file.pathname);
  });
}

function builderPage({ bytes }: Asset, language: Language): string {
  const { builder, direction } = phrasesIn(language);
  const texts = Object.entries(builder.page).map(([key, text]) => [key, text.replaceAll('"', '&quot;')]);
  const page = bytes.toString().replace('lang="en"', `lang="${language}" dir="${direction}"`);
  return fill(page, Object.fromEntries(texts));
}

/** Who shows results knows the relay alone: from here it leads to where one votes. */
function addWayToVote(app: FastifyInstance, voteUrl: string | undefined): void {
  const lead = (request: FastifyRequest, reply: FastifyReply) => {
    const place = request.url.replace(/^\/vote|[?#].*$|\/$/g, '');
    if (voteUrl === undefined || !VOTE_PLACE.test(place)) return reply.callNotFound();
    return reply.header('cache-control', 'no-cache').redirect(`${voteUrl}${place}`);
  };
  app.get('/vote/:id', lead);
  app.get('/vote/show/:name', lead);
}
