import { describe, expect, it } from 'vitest';
import { drawingStyles } from '../../src/picture/styles.ts';
import { browserRig } from './browser-rig.ts';
import { castQueries, type ScreenName, screens, scriptQueries, scripts } from './picture-matrix.ts';
import { differingRows } from './pixels.ts';
import { StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';

const rig = browserRig(browser => StagePages.bundle(browser));

/** Returns the layout faults by query. Runs in the page. */
function check(queries: readonly string[]): Record<string, string[]> {
  const { rehearse, faults } = globalThis as unknown as StageWindow;
  const wrong = queries.map(query => {
    rehearse(query);
    return [query, faults()] as const;
  });
  return Object.fromEntries(wrong.filter(([, found]) => found.length > 0));
}

describe.each(Object.keys(screens) as ScreenName[])('on a screen of %s', screen => {
  it.each(drawingStyles)(
    '%s has no layout faults on any ground, at any moment, in any cast and script',
    async style => {
      const { width, height } = screens[screen];
      const page = await rig.site.open(width, height);
      const queries = [...castQueries(style), ...scriptQueries(style)];
      expect(queries).toHaveLength(104);
      expect(await page.evaluate(check, queries)).toEqual({});
    },
  );
});

describe.each(['1080p', '720p'] as const)('on a screen of %s', screen => {
  it.each([
    ['columns', ['german', 'finnish', 'thai', 'vietnamese', 'japanese', 'arabic']],
    ['ticker', ['german', 'finnish', 'thai']],
  ] as const)('%s uses free lines before it cuts a word', async (style, languages) => {
    const { width, height } = screens[screen];
    const page = await rig.site.open(width, height);
    for (const script of languages)
      for (const theme of ['light', 'outline']) {
        const query = `style=${style}&theme=${theme}&script=${script}&lang=${scripts[script].lang}`;
        await page.evaluate(
          asked => (globalThis as unknown as StageWindow).rehearse(asked),
          `${query}&moment=voting`,
        );
        expect(await page.locator('.cut').allTextContents(), query).toEqual([]);
      }
  });
});

/** Draws each query in a cell of its own, below each other. Runs in the page. */
function drawCells([queries, { width, height }]: readonly [
  readonly string[],
  { readonly width: number; readonly height: number },
]): void {
  for (const [at, query] of queries.entries()) {
    const cell = document.createElement('div');
    cell.style.cssText = `position: absolute; top: ${at * height}px; width: ${width}px; height: ${height}px; background: #c96f4a`;
    document.body.append(cell);
    (globalThis as unknown as StageWindow).rehearse(query, cell);
  }
}

/** Ticks and clocks would differ between two pictures; bars are clipped by their tracks. A clipped text is drawn at other fractions. */
const UNCLIPPED = `
  .panel, .panel :not(.track, .shaft) { overflow: visible !important; clip-path: none !important }
  .panel :is(.title, .label) { clip-path: inset(-9em) !important }`;

describe.each(['720p', '225'] as const)('on a screen of %s', screen => {
  it.each(drawingStyles.filter(style => style !== 'code'))('%s clips no ink in any script', async style => {
    const { width, height } = screens[screen];
    const queries = scriptQueries(style)
      .filter(query => query.includes('moment=closed'))
      .map(query => `${query}&countdown=0`);
    expect(queries).toHaveLength(12);
    const page = await rig.site.open(width, height * queries.length);
    await page.evaluate(drawCells, [queries, { width, height }] as const);
    await page.evaluate(
      () => new Promise<unknown>(done => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    const clipped = await page.screenshot();
    await page.addStyleTag({ content: UNCLIPPED });
    const whole = await page.screenshot();
    const rows = await differingRows(rig.browser, clipped, whole);
    const faulty = new Set(rows.map(row => queries[Math.floor(row / height)]));
    expect([...faulty]).toEqual([]);
  });
});
