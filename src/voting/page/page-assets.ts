import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Refusal } from '../guard/refusal.ts';

/** Scripts, styles and icon: compressed once, served under a name that changes with the content. */

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly raw: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

export type AssetName = 'voting.css' | 'icon.svg' | `${string}.js`;

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** One file on the wire; later ones may override earlier ones. */
const STYLES = ['base', 'form', 'results', 'creator'];

export class AssetStore {
  readonly #assets = new Map<string, Asset>();

  constructor() {
    this.#add('icon.svg', read('icon.svg'));
    this.#add('voting.css', Buffer.concat(STYLES.map(name => read(`style/${name}.css`))));
    const bundles = bundleFolder();
    for (const name of readdirSync(bundles).filter(file => file.endsWith('.js')))
      this.#add(name, readFileSync(new URL(name, bundles)));
  }

  /** Path of an asset on this server. @throws Error where the build left it out */
  path(name: AssetName): string {
    const asset = this.#assets.get(name);
    if (!asset) throw new Error(`${name} is missing: run the build first`);
    return asset.path;
  }

  serve(server: FastifyInstance): void {
    const byPath = new Map([...this.#assets.values()].map(asset => [asset.path, asset]));
    server.get('/assets/:file', { config: { rateLimit: false } }, async (request, reply) => {
      const asset = byPath.get(request.url.replace(/\?.*$/, ''));
      if (!asset) throw new Refusal('page_not_found');
      return send(asset, request.headers['accept-encoding'] ?? '', reply);
    });
    // Browsers ask for it whatever the page says.
    server.get('/favicon.ico', { config: { rateLimit: false } }, async (_request, reply) =>
      reply.redirect(this.path('icon.svg'), 302),
    );
  }

  #add(name: string, raw: Buffer): void {
    const hash = createHash('sha256').update(raw).digest('base64url').slice(0, 10);
    const [stem = '', extension = ''] = name.split(/\.(?=[^.]+$)/);
    const path = `/assets/${stem}.${hash}.${extension}`;
    const type = TYPES[extension] ?? 'application/octet-stream';
    this.#assets.set(name, { path, type, raw, gzip: gzipSync(raw), brotli: brotliCompressSync(raw) });
  }
}

function read(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}

/** The build writes the bundles beside its own output, and this file may run from there or from its source. */
function bundleFolder(): URL {
  const built = fileURLToPath(import.meta.url).endsWith('.js');
  return new URL(built ? '../browser/' : '../../../dist/voting/browser/', import.meta.url);
}

function send(asset: Asset, accepted: string, reply: FastifyReply): FastifyReply {
  reply.headers({
    'content-type': asset.type,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  });
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(asset.brotli);
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(asset.gzip);
  return reply.send(asset.raw);
}
