import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { serveOverlay } from './overlay-site.ts';

/**
 * Draws overlays over a busy scene, the way a mixer lays them over video, for somebody to look at.
 *
 *     node test/e2e/pictures.ts <folder> <filter>
 */

interface Picture {
  readonly name: string;
  readonly query: string;
  readonly width: number;
  readonly height: number;
}

export const SCENE = `<!doctype html><style>
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

export async function openOverScene(
  browser: Browser,
  url: string,
  width: number,
  height: number,
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height }, locale: 'en-US' });
  await page.setContent(SCENE);
  await page.evaluate(paintScene);
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
      for (const moment of MOMENTS)
        add(`${style}-${theme}-${moment}`, `style=${style}&theme=${theme}&moment=${moment}`);
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

const [folder, filter] = process.argv.slice(2);
if (folder) {
  const site = await serveOverlay();
  const browser = await launchChromium();
  const wanted = allPictures().filter(picture => new RegExp(filter ?? '').test(picture.name));
  for (const { name, query, width, height } of wanted) {
    const page = await openOverScene(
      browser,
      `${site.url}/overlay/rehearsal?rehearsal=1&${query}`,
      width,
      height,
    );
    const path = `${folder}/${name}.png`;
    mkdirSync(dirname(path), { recursive: true });
    await page.screenshot({ path });
    await page.close();
    console.log(path);
  }
  await browser.close();
  await site.close();
}
