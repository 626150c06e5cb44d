import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { drawContactSheets } from './contact-sheets.ts';
import { serveOverlay } from './overlay-site.ts';
import { paintDusk } from './scenes.ts';

/**
 * Draws overlays over a busy scene, the way a mixer lays them over video, for somebody to look at.
 *
 *     node test/e2e/run-pictures.mjs                       the pictures that the README shows
 *     node test/e2e/run-pictures.mjs <folder> [<pattern>]  sheets of every style, theme, moment, screen and text, or of those that match
 */

interface Picture {
  readonly name: string;
  readonly query: string;
  readonly width: number;
  readonly height: number;
}

const SCENE = `<!doctype html><style>
  html, body { margin: 0; height: 100%; overflow: hidden; background: #38506b; }
  iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; }
</style>`;

async function openOverScene(browser: Browser, url: string, width: number, height: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height }, locale: 'en-US' });
  await page.setContent(SCENE);
  const video = await page.evaluate(paintDusk);
  await page.evaluate(
    ([address, image]) => {
      document.body.style.background = `url(${image})`;
      const frame = document.createElement('iframe');
      frame.src = address;
      document.body.append(frame);
    },
    [url, video] as const,
  );
  await page.frameLocator('iframe').locator('.tallycast:not(.still)').waitFor({ state: 'attached' });
  return page;
}

/** Few, and small enough to live in the repository. */
const README_PICTURES: readonly Picture[] = [
  ['bars-dark', 'style=bars'],
  ['columns-light', 'style=columns&theme=light&align=right'],
  ['donut-patterns', 'style=donut&theme=flat&patterns=1&lang=de'],
  ['versus-final', 'style=versus&cast=two&moment=closed&align=center'],
  ['ticker-outline', 'style=ticker&theme=outline&top=3'],
  ['number-hidden', 'style=big-number&moment=hidden&theme=light&align=center&valign=middle'],
].map(([name = '', query = '']) => ({ name, query, width: 960, height: 540 }));

async function takePictures(pictures: readonly Picture[], folder: string): Promise<void> {
  const site = await serveOverlay();
  const browser = await launchChromium();
  mkdirSync(folder, { recursive: true });
  for (const { name, query, width, height } of pictures) {
    const address = `${site.url}/overlay/rehearsal?rehearsal=1&speed=0&${query}`;
    const page = await openOverScene(browser, address, width, height);
    // What is being shown is the picture, and that it is a rehearsal goes without saying.
    const mark = page.frameLocator('iframe').locator('.rehearsal');
    await mark.evaluate(element => element.remove());
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    await page.close();
    console.log(path);
  }
  await browser.close();
  await site.close();
}

const [folder, pattern = ''] = process.argv.slice(2);
if (folder === undefined) await takePictures(README_PICTURES, 'test/e2e/pictures');
else await drawContactSheets(folder, pattern);
