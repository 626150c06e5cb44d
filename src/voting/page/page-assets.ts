import { readdirSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { builtFolder, filesIn, serveFiles } from '../../http/assets.ts';
import type { Language } from '../../locales/catalogues.ts';

export type AssetName = 'voting.css' | 'desk.css' | 'show-share.css' | `${string}.js`;

const FOLDER = builtFolder('voting/assets');

/** Scripts and styles of the voting pages, which the build names by their content. */
export class PageAssets {
  readonly #paths = new Map(
    readdirSync(FOLDER).map(file => [file.replace(/\.\w+(?=\.\w+$)/, ''), `/assets/${file}`]),
  );

  /**
   * Path of an asset on this server.
   *
   * @param language of a script with phrases
   * @throws Error where the build left it out
   */
  path(name: AssetName, language: Language = 'en'): string {
    const path = this.#paths.get(name.replace('.', `.${language}.`)) ?? this.#paths.get(name);
    if (path === undefined) throw new Error(`${name} is missing: run the build first`);
    return path;
  }

  serve(server: FastifyInstance): void {
    serveFiles(server, '/assets', [...filesIn(FOLDER), ...filesIn(builtFolder('fonts'))]);
  }
}
