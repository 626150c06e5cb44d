import { describe, expect, it } from 'vitest';
import { drawingStyles } from '../../src/overlay/look/styles.ts';
import { browserRig } from './browser-rig.ts';
import { allSheets, type ScreenName, screens } from './picture-matrix.ts';
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
  it.each(drawingStyles)('%s has no layout faults in any theme, moment and cast', async style => {
    const { width, height } = screens[screen];
    const page = await rig.site.open(width, height);
    const sheets = allSheets().filter(({ name }) => name.startsWith(`${style}-${screen}-`));
    const queries = sheets.flatMap(({ cells }) => cells.map(({ query }) => query));
    expect(queries).toHaveLength(112);
    expect(await page.evaluate(check, queries)).toEqual({});
  });
});
