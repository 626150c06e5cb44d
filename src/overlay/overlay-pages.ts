import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, AssetStore, builtFolder, sendAsset } from '../http/asset-store.ts';
import { serveFonts } from '../http/fonts.ts';
import { overlayTemplates } from './overlay-templates.ts';

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

const SCRIPT = 'text/javascript; charset=utf-8';
const SHEET = 'text/css; charset=utf-8';
const PAGE = 'text/html; charset=utf-8';

/** Files that pages ask for by name; nothing else under `/overlay/assets/` exists. */
const ASSETS: Readonly<Record<string, { path: string; type: string }>> = {
  'overlay.js': { path: 'browser/overlay.js', type: SCRIPT },
  'builder.js': { path: 'browser/builder.js', type: SCRIPT },
  'overlay.css': { path: 'page/overlay.css', type: SHEET },
  'builder.css': { path: 'page/builder.css', type: SHEET },
};

/**
 * Serves the overlay, its builder, the loader file, the widget's script and the templates for playout servers.
 * An overlay's page is the same for every poll and every parameter, right or wrong: what is drawn is decided in
 * the browser, so a faulty URL can never make a blank page of an error.
 */
export async function overlayPages(app: FastifyInstance, options: OverlayPagesOptions): Promise<void> {
  const assets = new AssetStore(options.assets ?? builtFolder('overlay'));
  const page = (path: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    return send(request, reply, await assets.readAsset(path), PAGE);
  };

  app.get('/overlay', page('page/builder.html'));
  app.get('/overlay/:id', page('page/overlay.html'));
  app.get('/overlay/show/:name', page('page/overlay.html'));

  app.get<{ Params: { file: string } }>('/overlay/assets/:file', async (request, reply) => {
    const asset = Object.hasOwn(ASSETS, request.params.file) ? ASSETS[request.params.file] : undefined;
    if (!asset) return reply.callNotFound();
    return send(request, reply, await assets.readAsset(asset.path), asset.type);
  });

  serveFonts(app, options.fonts);

  app.get('/overlay/loader.html', async (request, reply) => {
    reply.header('content-disposition', 'attachment; filename="tallycast-loader.html"');
    return send(request, reply, await assets.readAsset('page/loader.html'), PAGE);
  });

  app.get('/widget.js', async (request, reply) =>
    send(request, reply, await assets.readAsset('browser/widget.js'), SCRIPT),
  );

  addWayToVote(app, options.voteUrl);

  app.get('/client.js', async (request, reply) =>
    send(request, reply, await assets.readAsset('browser/client.js'), SCRIPT),
  );

  await overlayTemplates(app, { assets, publicUrl: options.publicUrl, send });
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

/** Readable from any origin: loader, widget and renderers live elsewhere. */
function send(request: FastifyRequest, reply: FastifyReply, asset: Asset, type: string) {
  reply.headers({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
  return sendAsset(request, reply, asset, { type, keeping: 'revalidate' });
}
