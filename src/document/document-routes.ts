import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  Asset,
  builtFolder,
  readAsset,
  sendAsset,
  serveFile,
  serveFiles,
  serveSiteFiles,
} from '../http/assets.ts';

/** The documents of a relay: for programs and as pages. None of them depends on stored data. */

export interface DocumentOptions {
  /** Origins without a trailing slash. */
  readonly relayUrl: string;
  readonly voteUrl: string;
}

const RULES = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];
const POLICY = RULES.join('; ');
/** Swagger UI uses data URLs for images, and sends requests to this relay. */
const READER_POLICY = [
  ...RULES.filter(rule => !rule.startsWith('img-src')),
  "img-src 'self' data:",
  "script-src 'self'",
  "connect-src 'self'",
].join('; ');

const FOLDER = builtFolder('document');
const built = (path: string) => new URL(path, FOLDER);

const ASSETS = [
  'page/page.css',
  'page/reader.css',
  'browser/reader.js',
  'browser/swagger-ui.css',
  'browser/swagger-ui-bundle.js',
];

export async function documentRoutes(app: FastifyInstance, urls: DocumentOptions): Promise<void> {
  let start: Asset | undefined;
  app.get('/', async (request, reply) => {
    start ??= new Asset(fill(readAsset(built('page/start.html')).bytes.toString(), urls));
    return sendAsset(request, reply.header('content-security-policy', POLICY), start, 'start.html');
  });
  serveFile(app, ['/docs'], built('page/reader.html'), { 'content-security-policy': READER_POLICY });
  for (const name of ['protocol', 'log', 'chat'])
    serveFile(app, [`/docs/${name}`], built(`page/${name}.html`), { 'content-security-policy': POLICY });
  for (const name of ['openapi.json', 'asyncapi.json']) serveFile(app, [`/${name}`], built(name));
  serveFiles(app, '/docs/assets', ASSETS.map(built));
  serveSiteFiles(app, ['/api/', '/overlay/']);
}

/** Whether a browser asks for a page, so that a 404 should be a page too. The API always replies in JSON. */
export function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    !/^\/api(?:[/?]|$)/.test(url) &&
    /\btext\/html\b/.test(headers.accept ?? '')
  );
}

export async function sendNotFoundPage(reply: FastifyReply): Promise<FastifyReply> {
  const { bytes } = readAsset(built('page/not-found.html'));
  return reply
    .code(404)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    })
    .send(bytes);
}

/** Inserts the configured URLs into a page, escaped. */
function fill(text: string, { relayUrl, voteUrl }: DocumentOptions): string {
  return text.replaceAll('{{relay}}', escapeText(relayUrl)).replaceAll('{{vote}}', escapeText(voteUrl));
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
