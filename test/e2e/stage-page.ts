import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { Scene } from '../../src/overlay/browser/drawing/stage.ts';

/** What the page of a stage offers to `page.evaluate`. */
export interface StageWindow {
  /** Draws a scene; the first one, or one with another query, on a new stage. */
  show(query: string, scene: Scene): void;
}

const PAGE = `
  import { adoptStyleSheet } from './src/overlay/browser/drawing/style-sheet.ts';
  import { Stage } from './src/overlay/browser/drawing/stage.ts';
  import { readParameters } from './src/overlay/parameter/read-parameters.ts';
  adoptStyleSheet(document);
  document.documentElement.style.height = document.body.style.height = '100%';
  document.body.style.margin = '0';
  let stage;
  let drawn;
  globalThis.show = (query, scene) => {
    if (query !== drawn) {
      stage?.close();
      stage = new Stage(document.body, readParameters(new URLSearchParams(query)).settings, 'en');
      stage.showCode({ address: 'https://vote.example.org/show/friday-night', modules: 37, dark: 'M4 4h7v7H4z' }, true);
      drawn = query;
    }
    stage.show(scene);
  };
`;

/** A blank page with the drawing code in it, for scenes that no rehearsal has. */
export class StagePages {
  readonly #browser: Browser;
  readonly #script: string;
  readonly #folder: string;

  private constructor(browser: Browser, folder: string, script: string) {
    this.#browser = browser;
    this.#folder = folder;
    this.#script = script;
  }

  static async bundle(browser: Browser): Promise<StagePages> {
    const folder = mkdtempSync(join(tmpdir(), 'tallycast-stage-'));
    const script = join(folder, 'stage.js');
    await build({
      stdin: { contents: PAGE, resolveDir: process.cwd(), loader: 'ts' },
      outfile: script,
      bundle: true,
      target: 'chrome103',
      format: 'esm',
      logLevel: 'warning',
    });
    return new StagePages(browser, folder, script);
  }

  async open(width = 1920, height = 1080): Promise<Page> {
    const page = await this.#browser.newPage({ viewport: { width, height } });
    await page.addScriptTag({ path: this.#script, type: 'module' });
    await page.waitForFunction('typeof show === "function"');
    return page;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
