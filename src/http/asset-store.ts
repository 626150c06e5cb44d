import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** What the build put together for browsers: the same place seen from `src/overlay` and from `dist/overlay`. */
export const builtAssets = new URL('../../dist/overlay/', import.meta.url);

export interface Asset {
  readonly bytes: Buffer;
  /** Strong, of the content alone: all relays of one version give the same. */
  readonly etag: string;
}

/** Reads each built file once. A file that is missing is looked for again: a build may be under way. */
export class OverlayAssets {
  readonly #root: URL;
  readonly #read = new Map<string, Promise<Asset>>();

  constructor(root: URL = builtAssets) {
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
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
