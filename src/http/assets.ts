import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Files for browsers: scripts, styles, pages, fonts. Each is read once and compressed once. */

export interface Asset {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes: all servers of one version send the same. */
  readonly hash: string;
}

type Headers = Readonly<Record<string, string>>;

const TYPES: Headers = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.zip': 'application/zip',
};
/** The build puts ten digits of its hash into the name of a file that browsers may keep for ever. */
const HASHED = /\.[0-9a-f]{10}\.\w+$/;
// A browser source has no button to empty its cache mid-show, so everything else is asked for again.
const CACHE_CONTROL = { hashed: 'public, max-age=31536000, immutable', other: 'no-cache' };

const FOR_EVERY_ORIGIN = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
};
const ICONS = ['icon.svg', 'favicon.ico', 'apple-touch-icon.png'];

/** The folder `dist/<room>`, seen from `src/http` and from `dist/http` alike. */
export function builtFolder(room: string): URL {
  return new URL(`../../dist/${room}/`, import.meta.url);
}

/** @throws Error where the folder was not built */
export function filesIn(folder: URL): URL[] {
  return readdirSync(folder).map(name => new URL(name, folder));
}

/** Serves each file at `<prefix>/<its name>`, and nothing else below the prefix. */
export function serveFiles(
  app: FastifyInstance,
  prefix: string,
  files: readonly URL[],
  headers: Headers = {},
): void {
  const byName = new Map(files.map(file => [basename(fileURLToPath(file)), file]));
  // The next build removes a hashed file while this process may still name it.
  for (const [name, file] of byName) if (HASHED.test(name)) readAsset(file);
  app.get<{ Params: { file: string } }>(`${prefix}/:file`, async (request, reply) => {
    const file = byName.get(request.params.file);
    if (!file) return reply.callNotFound();
    reply.headers(headers);
    return sendAsset(request, reply, readAsset(file), request.params.file);
  });
}

/** Serves one file at paths of its own. */
export function serveFile(
  app: FastifyInstance,
  paths: readonly string[],
  file: URL,
  headers: Headers = {},
): void {
  for (const path of paths)
    app.get(path, async (request, reply) => {
      reply.headers(headers);
      return sendAsset(request, reply, readAsset(file), file.pathname);
    });
}

/**
 * Serves Inter at `/fonts/`, and `/fonts/inter.css` that names its faces, to pages of every origin: a playout server or a
 * page with the widget draws with the font of its relay. Browsers load only the faces whose letters they meet.
 *
 * @throws Error where the build left them out
 */
export function serveFonts(app: FastifyInstance, folder = builtFolder('fonts')): void {
  serveFiles(app, '/fonts', filesIn(folder), FOR_EVERY_ORIGIN);
}

/**
 * Serves the icons and `/robots.txt`, which browsers and search engines ask every server for.
 *
 * @param hidden paths that are of no use to a search engine
 */
export function serveSiteFiles(app: FastifyInstance, hidden: readonly string[]): void {
  for (const name of ICONS) serveFile(app, [`/${name}`], new URL(name, builtFolder('http/icon')));
  const lines = hidden.length > 0 ? hidden.map(path => `Disallow: ${path}`) : ['Disallow:'];
  const robots = toAsset(['User-agent: *', ...lines, ''].join('\n'));
  app.get('/robots.txt', (request, reply) => sendAsset(request, reply, robots, 'robots.txt'));
}

const read = new Map<string, Asset>();

/**
 * Reads a built file once. A file that is missing is looked for again: a build may be under way.
 *
 * @throws Error where the file was not built. `file` is a constant of ours, never from a request.
 */
export function readAsset(file: URL): Asset {
  const known = read.get(file.href);
  if (known) return known;
  try {
    // One after the other: all at once would take a descriptor each.
    const asset = toAsset(readFileSync(file));
    read.set(file.href, asset);
    return asset;
  } catch (cause) {
    throw new Error(`${basename(file.pathname)} was not built: run "npm run build"`, { cause });
  }
}

export function toAsset(content: Buffer | string): Asset {
  const bytes = Buffer.from(content);
  return { bytes, hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) };
}

type Coding = 'br' | 'gzip';

const COMPRESSORS: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  // Once for each file and process: a fifth of a second for all of them together, and a twentieth of the bytes.
  br: bytes => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  gzip: promisify(gzip),
};

/** Compressed bytes are freed with their asset. */
const compressed = new WeakMap<Asset, Partial<Record<Coding, Promise<Buffer>>>>();

/**
 * Sends the bytes in the smallest coding that the client accepts, or 304 where it holds them.
 *
 * @param name its ending says what it is, and a hash in it that the browser may keep it
 */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  name: string,
): Promise<FastifyReply> {
  const type = TYPES[extname(name)] ?? 'text/plain; charset=utf-8';
  const accepted = /zip|woff2/.test(type) ? [] : new Negotiator(request).encodings(['br', 'gzip']);
  const coding = (['br', 'gzip'] as const).find(known => accepted.includes(known));
  // A strong tag stands for bytes as they travel, so each coding has one of its own.
  const etag = `"${asset.hash}${coding ? `-${coding}` : ''}"`;
  reply.headers({
    'content-type': type,
    'cache-control': HASHED.test(name) ? CACHE_CONTROL.hashed : CACHE_CONTROL.other,
    etag,
    vary: 'accept-encoding',
  });
  const held = request.headers['if-none-match']?.split(',').map(tag => tag.trim().replace(/^W\//, ''));
  if (held?.some(tag => tag === etag || tag === '*')) return reply.code(304).send();
  if (!coding) return reply.send(asset.bytes);
  const codings = compressed.get(asset) ?? {};
  compressed.set(asset, codings);
  codings[coding] ??= COMPRESSORS[coding](asset.bytes);
  return reply.header('content-encoding', coding).send(await codings[coding]);
}
