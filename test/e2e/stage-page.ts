import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { serveFonts } from '../../src/http/assets.ts';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import type { StageWindow } from './stage-window.ts';

const PAGE = `<!doctype html>
  <meta charset="utf-8">
  <link rel="stylesheet" href="/fonts/inter.css">
  <style>html, body { height: 100%; margin: 0; overflow: hidden }</style>
  <script type="module" src="/stage.js"></script>`;

/**
 * Blank pages with the drawing code and its font in them, for scenes that no live stream has. See
 * `stage-window.ts`.
 */
export class StagePages {
  readonly #browser: Browser;
  readonly #app: FastifyInstance;

  private constructor(browser: Browser, app: FastifyInstance) {
    this.#browser = browser;
    this.#app = app;
  }

  /** Tests and npm scripts run at the top of the project; this file may be bundled elsewhere. */
  static async bundle(browser: Browser): Promise<StagePages> {
    const { outputFiles } = await build({
      entryPoints: [join(process.cwd(), 'test', 'e2e', 'stage-window.ts')],
      bundle: true,
      write: false,
      target: 'chrome103',
      format: 'esm',
      loader: { '.css': 'text' },
      logLevel: 'warning',
    });
    const app = Fastify();
    serveFonts(app, pathToFileURL(join(process.cwd(), 'dist', 'fonts/')));
    app.get('/', (_, reply) => reply.type('text/html').send(PAGE));
    app.get('/stage.js', (_, reply) => reply.type('text/javascript').send(outputFiles[0]!.text));
    await app.listen({ host: '127.0.0.1', port: 0 });
    return new StagePages(browser, app);
  }

  /** A page on which every letter is drawn with the font that it will have. */
  async open(width = 1920, height = 1080): Promise<Page> {
    const page = await this.#browser.newPage({ viewport: { width, height } });
    await page.goto(`http://127.0.0.1:${(this.#app.server.address() as AddressInfo).port}/`);
    await page.waitForFunction('typeof show === "function"');
    await page.evaluate(() => Promise.all([...document.fonts].map(face => face.load())));
    return page;
  }

  async close(): Promise<void> {
    await this.#app.close();
  }
}

/** Draws a poll on the page's stage. Another query opens a new stage. */
export function drawScene(page: Page, query: string, poll: PollSnapshot | undefined, away = false) {
  return page.evaluate(([asked, scene]) => (globalThis as unknown as StageWindow).show(asked, scene), [
    query,
    { poll, away },
  ] as const);
}
