import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { allSheets, type Sheet, screens } from './picture-matrix.ts';
import { paintCrowd } from './scenes.ts';
import { StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';

/** Side by side on a sheet: the themes, or all moments of two of them. */
const CELLS_ACROSS = { '1080p': 4, '720p': 4, '400': 7, '225': 4 };
/** How large a cell is, of the screen that it shows. */
const SCALES = { '1080p': 0.25, '720p': 0.375, '400': 0.6, '225': 1 };
/** Scale of the sheets that a pattern selects. */
const CLOSE_UP = 0.5;

/** Draws the sheets whose name matches into `folder`, one page each. */
export async function drawContactSheets(folder: string, pattern: string): Promise<void> {
  const browser = await launchChromium();
  const pages = await StagePages.bundle(browser);
  mkdirSync(folder, { recursive: true });
  for (const sheet of allSheets().filter(({ name }) => new RegExp(pattern).test(name))) {
    const scale = Math.max(pattern === '' ? 0 : CLOSE_UP, SCALES[sheet.screen]);
    const path = join(folder, `${sheet.name}.png`);
    const page = await openSheet(pages, sheet, scale);
    await page.screenshot({ path });
    await page.close();
    console.log(path);
  }
  await pages.close();
  await browser.close();
}

/** What cells lie over, by their size: painting it takes longer than drawing all of a sheet. */
const videos = new Map<string, string>();

async function openSheet(pages: StagePages, { cells, screen }: Sheet, scale: number): Promise<Page> {
  const { width, height } = screens[screen];
  const cell = { width: Math.ceil(width * scale), height: Math.ceil(height * scale) };
  const across = CELLS_ACROSS[screen];
  const page = await pages.open(cell.width, cell.height);
  const video = videos.get(`${screen} ${scale}`) ?? (await page.evaluate(paintCrowd));
  videos.set(`${screen} ${scale}`, video);
  await page.setViewportSize({
    width: cell.width * across,
    height: cell.height * Math.ceil(cells.length / across),
  });
  await page.evaluate(drawCells, { cells, width, height, scale, across, video });
  return page;
}

interface Drawn extends Pick<Sheet, 'cells'> {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly across: number;
  readonly video: string;
}

/** Runs in the page. */
async function drawCells({ cells, width, height, scale, across, video }: Drawn): Promise<void> {
  const { rehearse } = globalThis as unknown as StageWindow;
  for (const [at, { name, query }] of cells.entries()) {
    const cell = document.createElement('div');
    cell.style.cssText = `position: absolute; left: ${(at % across) * Math.ceil(width * scale)}px;
      top: ${Math.floor(at / across) * Math.ceil(height * scale)}px; width: ${width}px; height: ${height}px;
      transform: scale(${scale}); transform-origin: 0 0; outline: ${1 / scale}px solid #fff;
      background: url(${video}) 0 0 / 100% 100%`;
    document.body.append(cell);
    rehearse(query, cell);
    const caption = document.createElement('div');
    caption.textContent = name;
    caption.style.cssText = `position: absolute; background: #fff; color: #000; font: ${11 / scale}px/1.1 sans-serif`;
    cell.append(caption);
  }
  // Text is fitted in the frame after its size is known.
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}
