import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { drawingStyles } from '../../src/picture/styles.ts';
import { themeNames } from '../../src/picture/themes.ts';
import { browserRig } from './browser-rig.ts';
import { StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';
import { measureContrast } from './text-contrast.ts';

const ENOUGH = 4.5;
const rig = browserRig(browser => StagePages.bundle(browser));

const draw = (query: string) => (globalThis as unknown as StageWindow).rehearse(query);

/** Text over a translucent ground is faintest over black or white. */
async function findFaint(page: Page, ground: 'black' | 'white', query: string): Promise<string[]> {
  await page.evaluate(color => {
    document.documentElement.style.background = color;
  }, ground);
  await page.evaluate(draw, query);
  const measured = await measureContrast(page);
  expect(measured.length, query).toBeGreaterThan(2);
  return measured
    .filter(([, ratio]) => ratio < ENOUGH)
    .map(([text, ratio]) => `${query} over ${ground}: ${text} ${ratio.toFixed(2)}`);
}

it.each(themeNames)('the theme %s has enough contrast in every style over black and white', async theme => {
  const page = await rig.site.open();
  const faint: string[] = [];
  for (const style of drawingStyles)
    for (const ground of ['black', 'white'] as const)
      faint.push(...(await findFaint(page, ground, `theme=${theme}&style=${style}&moment=closed`)));
  expect(faint).toEqual([]);
});

describe('the measurement', () => {
  it.each([
    ['theme=dark&soft=464d5cff', 'count'],
    ['theme=dark&plate=ffffff88', 'title'],
    ['theme=outline&strokewidth=0', 'label'],
  ])('finds faint text: %s', async (query, faint) => {
    const page = await rig.site.open();
    expect((await findFaint(page, 'white', query)).join()).toContain(faint);
  });
});
