import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { serveOverlay } from './overlay-site.ts';

/**
 * Draws overlays over a busy scene, the way a mixer lays them over video, for somebody to look at.
 *
 *     node test/e2e/run-pictures.mjs                       the pictures that the README shows
 *     node test/e2e/run-pictures.mjs <folder> [<pattern>]  every style, theme, moment and screen, or those that match
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
  canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
</style><canvas></canvas>`;

/** A crowd under stage lights, near enough: bright and dark, coarse and fine, all colours. */
function paintScene(): void {
  const canvas = document.querySelector('canvas')!;
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  const paint = canvas.getContext('2d')!;
  let seed = 20;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const sky = paint.createLinearGradient(0, 0, innerWidth, innerHeight);
  for (const [at, color] of [
    [0, '#1b2b4b'],
    [0.35, '#c96f4a'],
    [0.6, '#f3d9a4'],
    [1, '#23402f'],
  ] as const)
    sky.addColorStop(at, color);
  paint.fillStyle = sky;
  paint.fillRect(0, 0, innerWidth, innerHeight);
  for (let blob = 0; blob < 360; blob++) {
    const x = random() * innerWidth;
    const y = random() * innerHeight;
    const radius = (4 + random() ** 3 * 150) * (innerHeight / 1080);
    paint.filter = blob < 300 ? `blur(${Math.round((innerHeight / 1080) * (12 - blob / 30))}px)` : 'none';
    paint.globalAlpha = 0.15 + random() * 0.5;
    paint.fillStyle = `hsl(${random() * 360} ${10 + random() * 55}% ${15 + random() * 75}%)`;
    paint.beginPath();
    paint.ellipse(x, y, radius, radius * (0.6 + random() * 0.8), random() * 3, 0, 7);
    paint.fill();
  }
}

export /** Evening light in a few flat bands: a photo would make files ten times as large. */
function paintDusk(): void {
  const canvas = document.querySelector('canvas')!;
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  const paint = canvas.getContext('2d')!;
  const bands = ['#1d2440', '#2f2f55', '#4f3b66', '#7b4a6b', '#a95e66', '#d17f5f', '#eaa765', '#f6cf84'];
  for (const [at, color] of bands.entries()) {
    paint.fillStyle = color;
    paint.beginPath();
    paint.arc(innerWidth * 0.72, innerHeight * 1.05, innerWidth * (1.05 - at * 0.13), 0, 7);
    if (at === 0) paint.rect(0, 0, innerWidth, innerHeight);
    paint.fill();
  }
}

async function openOverScene(
  browser: Browser,
  url: string,
  width: number,
  height: number,
  paint: () => void,
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height }, locale: 'en-US' });
  await page.setContent(SCENE);
  await page.evaluate(paint);
  await page.evaluate(address => {
    const frame = document.createElement('iframe');
    frame.src = address;
    document.body.append(frame);
  }, url);
  await page.frameLocator('iframe').locator('.tallycast:not(.still)').waitFor({ state: 'attached' });
  return page;
}

const STYLES = ['bars', 'columns', 'donut', 'versus', 'ticker', 'big-number'];
const THEMES = ['dark', 'light', 'flat', 'outline'];
const MOMENTS = ['waiting', 'hidden', 'tie', 'closed', 'away'];
const CASTS = ['two', 'many', 'long', 'rtl'];
const SIZES = { '1080p': [1920, 1080], '720p': [1280, 720], '400': [400, 1000], '320': [320, 640] } as const;

function allPictures(): Picture[] {
  const pictures: Picture[] = [];
  const add = (name: string, query: string, size: keyof typeof SIZES = '1080p') =>
    pictures.push({ name: `${name}-${size}`, query, width: SIZES[size][0], height: SIZES[size][1] });
  for (const style of STYLES) {
    for (const theme of THEMES) {
      for (const size of Object.keys(SIZES))
        add(`${style}-${theme}-voting`, `style=${style}&theme=${theme}`, size as keyof typeof SIZES);
      for (const moment of MOMENTS) {
        const query = `style=${style}&theme=${theme}&moment=${moment}`;
        add(`${style}-${theme}-${moment}`, query);
        add(`${style}-${theme}-${moment}`, query, '400');
      }
    }
    for (const size of Object.keys(SIZES)) {
      for (const cast of CASTS)
        add(`${style}-dark-${cast}`, `style=${style}&cast=${cast}`, size as keyof typeof SIZES);
    }
    add(`${style}-dark-patterns`, `style=${style}&patterns=1`);
    add(`${style}-dark-arabic`, `style=${style}&cast=rtl&lang=ar`);
  }
  return pictures;
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

async function takePictures(pictures: readonly Picture[], folder: string, paint: () => void): Promise<void> {
  const site = await serveOverlay();
  const browser = await launchChromium();
  mkdirSync(folder, { recursive: true });
  for (const { name, query, width, height } of pictures) {
    const address = `${site.url}/overlay/rehearsal?rehearsal=1&speed=0&${query}`;
    const page = await openOverScene(browser, address, width, height, paint);
    if (paint === paintDusk) {
      // What is being shown is the picture, and that it is a rehearsal goes without saying.
      const mark = page.frameLocator('iframe').locator('.rehearsal');
      await mark.evaluate(element => element.remove());
    }
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    await page.close();
    console.log(path);
  }
  await browser.close();
  await site.close();
}

const [folder, pattern = ''] = process.argv.slice(2);
if (folder === undefined) await takePictures(README_PICTURES, 'test/e2e/pictures', paintDusk);
else {
  const wanted = allPictures().filter(picture => new RegExp(pattern).test(picture.name));
  await takePictures(wanted, folder, paintScene);
}
