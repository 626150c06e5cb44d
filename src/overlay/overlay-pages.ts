import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  Asset,
  builtFolder,
  readAsset,
  sendAsset,
  serveFile,
  serveFiles,
  serveFonts,
} from '../http/assets.ts';
import type { FairTurns } from '../http/fair-turns.ts';
import type { Language } from '../locales/catalogues.ts';
import { fill } from '../locales/i18n.ts';
import { languageOf, phrasesIn } from '../locales/phrases.ts';
import { playoutTemplates } from './playout-templates.ts';

export interface OverlayPagesOptions {
  /** Public URL of the relay, without a slash at the end. Templates contain it. */
  readonly relayUrl?: string | undefined;
  /** URL of the voting server, without a slash at the end. */
  readonly voteUrl?: string | undefined;
  /** Folder of the built files. Default: that of the build. */
  readonly assets?: URL | undefined;
  /** Folder of the built fonts. Default: that of the build. */
  readonly fonts?: URL | undefined;
  /** For replies that take more than a millisecond. */
  readonly turns: FairTurns;
}

/** Pages load nothing from other origins and run no inline scripts. */
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

const VOTE_PATH = /^(\/show)?\/[\w-]{1,64}$/;

/** Readable from any origin, for loader, widget and renderers. */
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

/** All files under `/overlay/assets/`. */
const ASSETS = ['browser/overlay.js', 'browser/builder.js', 'page/overlay.css', 'page/builder.css'];

/**
 * Serves overlay, builder, loader, widget and templates. All overlays share one page, so a wrong
 * URL is never an error page.
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
  redirectToVote(app, options.voteUrl);
  await playoutTemplates(app, {
    folder,
    relayUrl: options.relayUrl,
    headers: HEADERS,
    turns: options.turns,
  });
}

/** Serves the builder in the reader's language. `?lang=` is not read: here it is the overlay's language. */
function serveBuilder(app: FastifyInstance, file: URL): void {
  const pages = new Map<Language, Asset>();
  app.get('/overlay', async ({ headers }, reply) => {
    const language = languageOf({ headers });
    const page = pages.get(language) ?? new Asset(builderPage(readAsset(file), language));
    pages.set(language, page);
    reply.headers({ ...PAGE_HEADERS, 'content-language': language });
    return sendAsset(reply.request, reply, page, file.pathname);
  });
}

function builderPage({ bytes }: Asset, language: Language): string {
  const { builder, desk, direction } = phrasesIn(language);
  const texts = Object.entries({ ...builder.page, noScript: desk.noScript }).map(([key, text]) => [
    key,
    text.replaceAll('"', '&quot;'),
  ]);
  const page = bytes.toString().replace('lang="en"', `lang="${language}" dir="${direction}"`);
  return fill(page, Object.fromEntries(texts));
}

/** Redirects to the voting server, because widgets only know the relay. */
function redirectToVote(app: FastifyInstance, voteUrl: string | undefined): void {
  const redirect = (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.replace(/^\/vote|[?#].*$|\/$/g, '');
    if (voteUrl === undefined || !VOTE_PATH.test(path)) return reply.callNotFound();
    return reply.header('cache-control', 'no-cache').redirect(`${voteUrl}${path}`);
  };
  app.get('/vote/:id', redirect);
  app.get('/vote/show/:name', redirect);
}
