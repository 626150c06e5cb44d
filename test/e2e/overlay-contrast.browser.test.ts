import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { drawingStyles } from '../../src/overlay/look/styles.ts';
import { themeNames } from '../../src/overlay/look/themes.ts';
import { browserRig } from './browser-rig.ts';
import { StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';
import { measureContrast } from './text-contrast.ts';
import { paintStill, type VideoStill, videoStills } from './video-stills.ts';

const ENOUGH = 4.5;
const rig = browserRig(browser => StagePages.bundle(browser));

const draw = (query: string) => (globalThis as unknown as StageWindow).rehearse(query);

async function findFaint(page: Page, still: VideoStill, query: string): Promise<string[]> {
  await page.evaluate(paintStill, still);
  await page.evaluate(draw, query);
  const measured = await measureContrast(page);
  expect(measured.length, query).toBeGreaterThan(2);
  return measured
    .filter(([, ratio]) => ratio < ENOUGH)
    .map(([text, ratio]) => `${query} over ${still}: ${text} ${ratio.toFixed(2)}`);
}

describe.each(themeNames)('the text of the theme %s', theme => {
  it('has enough contrast over any video', async () => {
    const page = await rig.site.open();
    const faint: string[] = [];
    for (const still of videoStills)
      faint.push(...(await findFaint(page, still, `theme=${theme}&style=bars&moment=closed`)));
    expect(faint).toEqual([]);
  });

  it.each(drawingStyles)('has enough contrast in %s over black and white', async style => {
    const page = await rig.site.open();
    const faint: string[] = [];
    for (const still of ['black', 'white'] as const)
      faint.push(...(await findFaint(page, still, `theme=${theme}&style=${style}&moment=closed`)));
    expect(faint).toEqual([]);
  });
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
