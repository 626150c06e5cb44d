import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RelaySettings } from '../api/api-options.ts';
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

type DocumentOptions = Pick<RelaySettings, 'relayUrl' | 'voteUrl'>;

const RULES = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
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

/** The pages that the build makes from the repository's documents: each address below `/docs`, its title and source. */
export const DOCUMENTS = [
  ['', 'The API', 'api/README.md'],
  ['/protocol', 'The live stream', 'protocol/PROTOCOL.md'],
  ['/recipes', 'Recipes', 'api/RECIPES.md'],
  ['/client', 'The client', 'client-package/README.md'],
  ['/log', 'Verifiable polls', 'audit/README.md'],
  ['/chat', 'Votes from chat', 'chat/STREAMERS.md'],
] as const;

export function pageFile(path: (typeof DOCUMENTS)[number][0]): string {
  return `${path.slice(1) || 'api'}.html`;
}

const ASSETS = [
  'page/page.css',
  'page/reader.css',
  'browser/reader.js',
  'browser/swagger-ui.css',
  'browser/swagger-ui-bundle.js',
];

export async function documentRoutes(app: FastifyInstance, urls: DocumentOptions): Promise<void> {
  const pages = DOCUMENTS.map(([path]) => [`/docs${path}`, pageFile(path)] as const);
  for (const [path, file] of [['/', 'start.html'] as const, ...pages]) {
    let page: Asset | undefined;
    app.get(path, async (request, reply) => {
      page ??= new Asset(withAddresses(readAsset(built(`page/${file}`)).bytes.toString(), urls));
      return sendAsset(request, reply.header('content-security-policy', POLICY), page, file);
    });
  }
  serveFile(app, ['/docs/reference'], built('page/reader.html'), {
    'content-security-policy': READER_POLICY,
  });
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

export async function sendNotFoundPage(reply: FastifyReply, urls: DocumentOptions): Promise<FastifyReply> {
  const page = readAsset(built('page/not-found.html')).bytes.toString();
  return reply
    .code(404)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    })
    .send(withAddresses(page, urls));
}

/** Replaces the addresses of examples by those of this relay, so that they run as shown. */
function withAddresses(page: string, { relayUrl, voteUrl }: DocumentOptions): string {
  return page.replace(/(http|ws):\/\/127\.0\.0\.1:(8080|8081)/g, (_, scheme: string, port: string) =>
    escapeText((port === '8080' ? relayUrl : voteUrl).replace(/^http/, scheme)),
  );
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
