import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Asset, builtFolder, sendAsset, toAsset } from '../../http/asset-store.ts';
import type { Language } from '../../locales/catalogues.ts';
import { PollError } from '../../poll/poll-error.ts';
import { darkVariables, pageVariables } from '../../row/row-look.ts';

/** Scripts and styles of the voting pages, under a name that changes with the content. */

interface NamedAsset {
  readonly asset: Asset;
  readonly path: string;
  readonly type: string;
}

export type AssetName = 'voting.css' | 'desk.css' | 'show-share.css' | `${string}.js`;

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
  js: 'text/javascript; charset=utf-8',
};

/** The letters of our languages. With the other files of the font a page would weigh too much: what they have is drawn by the stack. */
const FACES = /@font-face \{[^}]*url\(\.\/((inter-(?:cyrillic|latin|latin-european))\.\w+\.woff2)\)[^}]*\}/g;

/** One file on the wire; later ones may override earlier ones. */
const STYLES = ['base', 'form', 'results', 'creator'];

export class PageAssets {
  readonly #assets = new Map<string, NamedAsset>();

  constructor() {
    const styles = STYLES.map(name => read(`style/${name}.css`));
    const sheet = [this.#addFonts(), rowStyle(), ...styles].join('\n');
    this.#add('voting.css', Buffer.from(withoutComments(sheet)));
    for (const name of ['desk.css', 'show-share.css'] as const)
      this.#add(name, Buffer.from(withoutComments(read(`style/${name}`))));
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

  /** Text is read before the font is there. Browsers load the files alone whose letters they meet. */
  #addFonts(): string {
    const folder = builtFolder('fonts');
    const sheet = readFileSync(new URL('inter.css', folder), 'utf8');
    const faces = [...sheet.matchAll(FACES)].map(([face, file = '', name = '']) => {
      const path = this.#add(`${name}.woff2`, readFileSync(new URL(file, folder)));
      return face.replace(`./${file}`, path);
    });
    if (faces.length === 0) throw new Error('The font is missing: run the build first');
    return faces.join('\n');
  }

  /** Returns its path. */
  #add(name: string, raw: Buffer): string {
    const asset = toAsset(raw);
    const [stem = '', extension = ''] = name.split(/\.(?=[^.]+$)/);
    const path = `/assets/${stem}.${asset.hash.slice(0, 10)}.${extension}`;
    this.#assets.set(name, { asset, path, type: TYPES[extension] ?? 'application/octet-stream' });
    return path;
  }
}

/** Results look here as they do on air. */
function rowStyle(): string {
  const dark = `@media (prefers-color-scheme: dark) { .rows { ${darkVariables()} } }`;
  return [read('../../row/row.css'), `.rows { ${pageVariables()} }`, dark].join('\n');
}

/** Phones need neither comments nor indents, and none of our texts looks like one. */
function withoutComments(css: string): string {
  return css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s*([{};])\s*|(:)\s+|(,)\s+/g, '$1$2$3');
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
