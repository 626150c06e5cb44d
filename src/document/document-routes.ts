import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, AssetStore, builtFolder, sendAsset, toAsset } from '../http/asset-store.ts';
import { addSiteFiles } from '../http/site-files.ts';

/** What a relay says of itself: documents for programs, pages for people. All of it is the same whatever is stored. */

export interface DocumentOptions {
  /** Origins without a slash at the end. */
  readonly relayUrl: string;
  readonly voteUrl: string;
}

const PAGE = 'text/html; charset=utf-8';
const SHEET = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];
/** The reader of the documents draws pictures of its own, and asks this relay alone. */
const READER_POLICY = [
  ...POLICY.filter(rule => !rule.startsWith('img-src')),
  "img-src 'self' data:",
  "script-src 'self'",
  "connect-src 'self'",
];

/** Files that pages ask for by name; nothing else under `/docs/assets/` exists. */
const ASSETS: Readonly<Record<string, { path: string; type: string }>> = {
  'page.css': { path: 'page/page.css', type: SHEET },
  'reader.css': { path: 'page/reader.css', type: SHEET },
  'reader.js': { path: 'browser/reader.js', type: SCRIPT },
  'swagger-ui.css': { path: 'browser/swagger-ui.css', type: SHEET },
  'swagger-ui.js': { path: 'browser/swagger-ui-bundle.js', type: SCRIPT },
};

const files = new AssetStore(builtFolder('document'));

export async function documentRoutes(app: FastifyInstance, urls: DocumentOptions): Promise<void> {
  const page = (read: () => Promise<Asset>, policy: readonly string[]) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      reply.header('content-security-policy', policy.join('; '));
      return sendAsset(request, reply, await read(), { type: PAGE, keeping: 'revalidate' });
    };
  };
  const start = readOnce(async () => toAsset(fill(await files.readText('page/start.html'), urls)));

  app.get('/', page(start, POLICY));
  app.get(
    '/docs',
    page(() => files.readAsset('page/reader.html'), READER_POLICY),
  );
  app.get(
    '/docs/protocol',
    page(() => files.readAsset('page/protocol.html'), POLICY),
  );
  for (const name of ['openapi.json', 'asyncapi.json'])
    app.get(`/${name}`, async (request, reply) =>
      sendAsset(request, reply, await files.readAsset(name), { type: JSON_TYPE, keeping: 'revalidate' }),
    );
  app.get<{ Params: { file: string } }>('/docs/assets/:file', async (request, reply) => {
    const asset = Object.hasOwn(ASSETS, request.params.file) ? ASSETS[request.params.file] : undefined;
    if (!asset) return reply.callNotFound();
    const { path, type } = asset;
    return sendAsset(request, reply, await files.readAsset(path), { type, keeping: 'revalidate' });
  });
  addSiteFiles(app, ['/api/', '/overlay/']);
}

/** Somebody looks at a page that is not there, and is no program: those are told in JSON, and so is whoever asks the API. */
export function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    !/^\/api(?:[/?]|$)/.test(url) &&
    /\btext\/html\b/.test(headers.accept ?? '')
  );
}

export async function sendNotFoundPage(reply: FastifyReply): Promise<FastifyReply> {
  const { bytes } = await files.readAsset('page/not-found.html');
  return reply
    .code(404)
    .headers({
      'content-type': PAGE,
      'content-security-policy': POLICY.join('; '),
      'cache-control': 'no-store',
    })
    .send(bytes);
}

function readOnce(read: () => Promise<Asset>): () => Promise<Asset> {
  let reading: Promise<Asset> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}

/** Puts addresses into a page. They are settings, so they are escaped. */
function fill(text: string, { relayUrl, voteUrl }: DocumentOptions): string {
  return text.replaceAll('{{relay}}', escapeText(relayUrl)).replaceAll('{{vote}}', escapeText(voteUrl));
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
