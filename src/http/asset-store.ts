import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Files for browsers: scripts, styles, pages. Read once, compressed once, told apart by their content. */

export interface Asset {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes: all servers of one version give the same. */
  readonly hash: string;
}

/** How long a browser may keep an asset: until it has asked again, or for ever where its address names its content. */
export type Keeping = 'revalidate' | 'immutable';

const CACHE_CONTROL: Readonly<Record<Keeping, string>> = {
  // A browser source has no button to empty its cache mid-show.
  revalidate: 'no-cache',
  immutable: 'public, max-age=31536000, immutable',
};

/** What the build left for browsers in `dist/<room>`, seen from `src/http` and from `dist/http` alike. */
export function builtFolder(room: string): URL {
  return new URL(`../../dist/${room}/`, import.meta.url);
}

/** Reads each built file once. A file that is missing is looked for again: a build may be under way. */
export class AssetStore {
  readonly #root: URL;
  readonly #read = new Map<string, Promise<Asset>>();

  constructor(root: URL) {
    this.#root = root;
  }

  /** @throws Error where the file was not built. `path` is a constant of ours, never from a request. */
  readAsset(path: string): Promise<Asset> {
    const known = this.#read.get(path);
    if (known) return known;
    const reading = this.#readFile(path);
    this.#read.set(path, reading);
    reading.catch(() => this.#read.delete(path));
    return reading;
  }

  async readText(path: string): Promise<string> {
    return (await this.readAsset(path)).bytes.toString('utf8');
  }

  async #readFile(path: string): Promise<Asset> {
    try {
      return toAsset(await readFile(new URL(path, this.#root)));
    } catch (cause) {
      throw new Error(`${path} was not built: run "npm run build"`, { cause });
    }
  }
}

export function toAsset(content: Buffer | string): Asset {
  const bytes = Buffer.from(content);
  return { bytes, hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) };
}

type Coding = 'br' | 'gzip' | 'identity';

const COMPRESSORS: Readonly<Record<Exclude<Coding, 'identity'>, (bytes: Buffer) => Promise<Buffer>>> = {
  // Once for each file and process: a fifth of a second for all of them together, and a twentieth of the bytes.
  br: bytes => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  gzip: promisify(gzip),
};

/** Each asset is compressed at most once for each coding; an asset that is let go takes its compressed bytes along. */
const compressed = new WeakMap<Asset, Map<Coding, Promise<Buffer>>>();

/** Sends the bytes as the browser can take them, or 304 to who has them. */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  { type, keeping }: { readonly type: string; readonly keeping: Keeping },
): Promise<FastifyReply> {
  const coding = /zip|woff2/.test(type) ? 'identity' : acceptedCoding(request);
  // A strong tag stands for bytes as they travel, so each coding has one of its own.
  const etag = `"${asset.hash}${coding === 'identity' ? '' : `-${coding}`}"`;
  reply.headers({
    'content-type': type,
    'cache-control': CACHE_CONTROL[keeping],
    etag,
    vary: 'accept-encoding',
  });
  const held = request.headers['if-none-match']?.split(',').map(tag => tag.trim().replace(/^W\//, ''));
  if (held?.some(tag => tag === etag || tag === '*')) return reply.code(304).send();
  if (coding === 'identity') return reply.send(asset.bytes);
  return reply.header('content-encoding', coding).send(await compress(asset, coding));
}

/** The smallest that the client accepts. */
function acceptedCoding(request: FastifyRequest): Coding {
  const accepted = new Negotiator(request).encodings(['br', 'gzip']);
  return (['br', 'gzip'] as const).find(coding => accepted.includes(coding)) ?? 'identity';
}

function compress(asset: Asset, coding: Exclude<Coding, 'identity'>): Promise<Buffer> {
  const codings = compressed.get(asset) ?? new Map<Coding, Promise<Buffer>>();
  compressed.set(asset, codings);
  const bytes = codings.get(coding) ?? COMPRESSORS[coding](asset.bytes);
  codings.set(coding, bytes);
  return bytes;
}
