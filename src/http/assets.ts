import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { linksBelow } from './base-path.ts';
import { isNotModified } from './entity-tag.ts';

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
/** The build puts ten digits of the hash into the name of an immutable file. */
const HASHED = /\.[0-9a-f]{10}\.\w+$/;
// A browser source has no button to clear its cache, so everything else is revalidated.
const CACHE_CONTROL = { hashed: 'public, max-age=31536000, immutable', other: 'no-cache' };

const FOR_EVERY_ORIGIN = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
};
const ICONS = ['icon.svg', 'favicon.ico', 'apple-touch-icon.png'];

/** Returns `dist/<room>`, from both `src/http` and `dist/http`. */
export function builtFolder(room: string): URL {
  return new URL(`../../dist/${room}/`, import.meta.url);
}

export function filesIn(folder: URL): URL[] {
  return readdirSync(folder).map(name => new URL(name, folder));
}

export function serveFiles(
  app: FastifyInstance,
  prefix: string,
  files: readonly URL[],
  headers: Headers = {},
): void {
  const byName = new Map(files.map(file => [basename(fileURLToPath(file)), file]));
  // Read now, because the next build removes hashed files that this process still links.
  for (const [name, file] of byName) if (HASHED.test(name)) readAsset(file);
  app.get<{ Params: { file: string } }>(`${prefix}/:file`, async (request, reply) => {
    const file = byName.get(request.params.file);
    if (!file) return reply.callNotFound();
    reply.headers(headers);
    return sendAsset(request, reply, readAsset(file), request.params.file);
  });
}

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
 * Serves Inter and `/fonts/inter.css` to pages of every origin, such as playout servers and pages with the widget.
 *
 * @throws Error if the fonts were not built
 */
export function serveFonts(app: FastifyInstance, folder = builtFolder('fonts')): void {
  serveFiles(app, '/fonts', filesIn(folder), FOR_EVERY_ORIGIN);
}

/** Serves the icons and `/robots.txt`. @param hidden paths that search engines should skip */
export function serveSiteFiles(app: FastifyInstance, hidden: readonly string[]): void {
  for (const name of ICONS) serveFile(app, [`/${name}`], new URL(name, builtFolder('http/icon')));
  const lines = hidden.length > 0 ? hidden.map(path => `Disallow: ${path}`) : ['Disallow:'];
  const robots = new Asset(['User-agent: *', ...lines, ''].join('\n'));
  app.get('/robots.txt', (request, reply) => sendAsset(request, reply, robots, 'robots.txt'));
}

const read = new Map<string, Asset>();

/**
 * Reads a built file once.
 *
 * @param file MUST NOT come from a request
 * @throws Error if the file was not built; the next call tries again, because a build may be running
 */
export function readAsset(file: URL): Asset {
  const known = read.get(file.href);
  if (known) return known;
  try {
    // Synchronous, because parallel reads would take a descriptor each.
    const asset = new Asset(readFileSync(file));
    read.set(file.href, asset);
    return asset;
  } catch (cause) {
    throw new Error(`${basename(file.pathname)} was not built: run "npm run build"`, { cause });
  }
}

type Coding = 'br' | 'gzip';

const COMPRESSORS: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: bytes => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  gzip: promisify(gzip),
};

/** Bytes that are sent as they are, compressed, or with links below a base path. Each form is made once. */
export class Asset {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, the same at all servers of one version. */
  readonly hash: string;
  readonly #compressed: Partial<Record<Coding, Promise<Buffer>>> = {};
  #moved: Asset | undefined;

  constructor(content: Buffer | string) {
    this.bytes = Buffer.from(content);
    this.hash = createHash('sha256').update(this.bytes).digest('base64url').slice(0, 22);
  }

  compress(coding: Coding): Promise<Buffer> {
    this.#compressed[coding] ??= COMPRESSORS[coding](this.bytes);
    return this.#compressed[coding];
  }

  /** Returns a page with its links below the server's base path. All servers of a process have one relay. */
  below(basePath: string): Asset {
    this.#moved ??= new Asset(linksBelow(basePath, this.bytes.toString()));
    return this.#moved;
  }
}

/**
 * Sends the bytes in the smallest coding that the client accepts, or 304.
 *
 * @param name its extension sets the type; a hash in it makes the reply immutable
 */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  file: Asset,
  name: string,
): Promise<FastifyReply> {
  const type = TYPES[extname(name)] ?? 'text/plain; charset=utf-8';
  const { basePath } = request.server;
  const asset = basePath && extname(name) === '.html' ? file.below(basePath) : file;
  const accepted = /zip|woff2/.test(type) ? [] : new Negotiator(request).encodings(['br', 'gzip']);
  const coding = (['br', 'gzip'] as const).find(known => accepted.includes(known));
  // A strong tag identifies the encoded bytes, so it differs by coding.
  const etag = `"${asset.hash}${coding ? `-${coding}` : ''}"`;
  reply.headers({
    'content-type': type,
    'cache-control': HASHED.test(name) ? CACHE_CONTROL.hashed : CACHE_CONTROL.other,
    etag,
    vary: 'accept-encoding',
  });
  if (isNotModified(request, etag)) return reply.code(304).send();
  if (!coding) return reply.send(asset.bytes);
  return reply.header('content-encoding', coding).send(await asset.compress(coding));
}
