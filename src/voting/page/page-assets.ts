import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Asset, builtFolder, sendAsset, toAsset } from '../../http/asset-store.ts';
import { PollError } from '../../poll/poll-error.ts';
import type { Language } from '../phrase/language.ts';

/** Scripts and styles of the voting pages, under a name that changes with the content. */

interface NamedAsset {
  readonly asset: Asset;
  readonly path: string;
  readonly type: string;
}

export type AssetName = 'voting.css' | 'desk.css' | `${string}.js`;

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** One file on the wire; later ones may override earlier ones. */
const STYLES = ['base', 'form', 'results', 'creator'];

export class PageAssets {
  readonly #assets = new Map<string, NamedAsset>();

  constructor() {
    this.#add('voting.css', Buffer.concat(STYLES.map(name => read(`style/${name}.css`))));
    this.#add('desk.css', read('style/desk.css'));
    const bundles = builtFolder('voting/browser');
    for (const name of readdirSync(bundles).filter(file => file.endsWith('.js')))
      this.#add(name, readFileSync(new URL(name, bundles)));
  }

  /**
   * Path of an asset on this server.
   *
   * @param language of a script that says something
   * @throws Error where the build left it out
   */
  path(name: AssetName, language: Language = 'en'): string {
    const asset = this.#assets.get(name.replace('.', `.${language}.`)) ?? this.#assets.get(name);
    if (!asset) throw new Error(`${name} is missing: run the build first`);
    return asset.path;
  }

  serve(server: FastifyInstance): void {
    const byPath = new Map([...this.#assets.values()].map(asset => [asset.path, asset]));
    server.get('/assets/:file', async (request, reply) => {
      const found = byPath.get(request.url.replace(/\?.*$/, ''));
      if (!found) throw new PollError('route_not_found');
      return sendAsset(request, reply, found.asset, { type: found.type, keeping: 'immutable' });
    });
  }

  #add(name: string, raw: Buffer): void {
    const asset = toAsset(raw);
    const [stem = '', extension = ''] = name.split(/\.(?=[^.]+$)/);
    const path = `/assets/${stem}.${asset.hash.slice(0, 10)}.${extension}`;
    this.#assets.set(name, { asset, path, type: TYPES[extension] ?? 'application/octet-stream' });
  }
}

function read(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}
