import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { parameters } from '../../src/picture/parameters.ts';
import { startTestRelay } from '../support/test-relay.ts';
import { findViolations } from './axe.ts';
import { browserRig } from './browser-rig.ts';
import { openBuilder } from './builder-page.ts';

/** The builder's page: accessibility, window sizes, and its controls. */

const rig = browserRig(() => startTestRelay());
const DOCK = { width: 400, height: 900 };

const openFolds = (page: Page) =>
  page.evaluate(() => {
    for (const fold of document.querySelectorAll('details')) fold.open = true;
  });

const violations = (page: Page) => findViolations(page, { iframes: false });

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe.each([
  [320, 'light'],
  [1000, 'dark'],
  [3840, 'light'],
] as const)('at %d px, %s', (width, colorScheme) => {
  it('has no axe violations and no overflow in any state', async () => {
    const { id } = await rig.site.create({ title: 'Hidden', results_visibility: 'hidden' });
    const viewport = { width, height: 900 };
    const page = await openBuilder(rig.browser, rig.site.url, { viewport, colorScheme });
    const found = [await violations(page), await overflow(page)];
    await openFolds(page);
    await page.locator('#link').fill(id);
    await page.getByText('Its results are hidden.').waitFor();
    await page.locator('#top').fill('0');
    await page.locator('[data-name="top"] .fault', { hasText: 'Enter a number from' }).waitFor();
    found.push(await violations(page), await overflow(page));
    await page.locator('input[name="style"][value="ticker"]').check();
    await page.locator('#link').fill('https://elsewhere.example/');
    await page.locator('#missing', { hasText: 'isn’t for a poll or show' }).waitFor();
    found.push(await violations(page), await overflow(page));
    expect(found).toEqual([[], 0, [], 0, [], 0]);
  });
});

describe('in a dock of 400 px', () => {
  it('preview and URL stay visible and never cover the focus', async () => {
    const page = await openBuilder(rig.browser, rig.site.url, { viewport: DOCK });
    await openFolds(page);
    const hidden: string[] = [];
    const names = new Set<string>();
    for (let step = 0; step < 90; step += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return undefined;
        const box = element.getClientRects()[0]!;
        const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        const isSeen = seen !== null && (element.contains(seen) || seen.closest('label')?.contains(element));
        const scene = document.querySelector('#scene')!.getBoundingClientRect();
        const copy = document.querySelector('#copy')!.getBoundingClientRect();
        const inSight = scene.top >= 0 && copy.bottom <= innerHeight;
        return { name: element.id || element.outerHTML.slice(0, 80), fine: isSeen === true && inSight };
      });
      if (!focused) break;
      names.add(focused.name);
      if (!focused.fine) hidden.push(focused.name);
    }
    expect(hidden).toEqual([]);
    expect([...names]).toEqual(
      expect.arrayContaining(['link', 'moment', 'copy', 'size', 'plate', 'hz', 'loader']),
    );
  });

  it('an overlay can be built and copied by keyboard', async () => {
    const { id } = await rig.site.create({ title: 'By keyboard' });
    const page = await openBuilder(rig.browser, rig.site.url, { viewport: DOCK });
    const tabTo = async (selector: string) => {
      for (let step = 0; step < 60; step += 1) {
        if (await page.evaluate(wanted => document.activeElement?.matches(wanted), selector)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`no way to ${selector}`);
    };
    await tabTo('#link');
    await page.keyboard.type(id);
    await page.getByText('“By keyboard” is open.').waitFor();
    await tabTo('input[name="style"]');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await tabTo('input[name="place"]');
    await page.keyboard.press('ArrowRight');
    await tabTo('input[type="range"]');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.locator('#url').evaluate(url => url.closest('section')?.querySelector('button')?.focus());
    await page.keyboard.press('Enter');
    await page.locator('#copy', { hasText: 'Copied' }).waitFor();
    const copied = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect(copied.pathname).toBe(`/overlay/${id}`);
    expect(Object.fromEntries(copied.searchParams)).toEqual({ style: 'donut', align: 'center', size: '110' });
  });
});

/** In the page. */
function isDrawnInGreen(canvas: SVGElement | HTMLElement): boolean {
  const { width, height } = canvas as HTMLCanvasElement;
  const { data } = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height);
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === 0 && data[at + 1] === 255 && data[at + 2] === 0) return true;
  return false;
}

describe('the controls', () => {
  it('exist for every parameter, with its name beside the label', async () => {
    const page = await openBuilder(rig.browser, rig.site.url);
    const named = await page.locator('#settings code.name').allTextContents();
    const chosenBeside = ['rehearsal', 'moment', 'cast'];
    expect(named.flatMap(name => name.split(' ')).sort()).toEqual(
      Object.keys(parameters)
        .filter(name => !chosenBeside.includes(name))
        .sort(),
    );
    const inSight = await page.locator('#settings > .field:visible .head .label').allTextContents();
    expect(inSight).toHaveLength(6);
  });

  it('are hidden without effect, and then left out of the URL', async () => {
    const page = await openBuilder(rig.browser, rig.site.url, {}, '?style=ticker&turn=9');
    await openFolds(page);
    await page.locator('#turn').waitFor();
    expect(await page.locator('#scale-label, #answer').filter({ visible: true }).count()).toBe(0);
    await page.locator('input[name="style"][value="versus"]').check();
    await page.locator('#turn').waitFor({ state: 'hidden' });
    expect(await page.locator('#url').inputValue()).not.toContain('turn');
    await page.locator('input[name="style"][value="ticker"]').check();
    expect(await page.locator('#turn').inputValue()).toBe('9');
  });

  it('include pickers for colors and opacity, and a reset', async () => {
    const page = await openBuilder(rig.browser, rig.site.url);
    await openFolds(page);
    const field = page.locator('[data-name="plate"]');
    await field.locator('input[type="color"]').fill('#aa00ff');
    expect(await page.locator('#plate').inputValue()).toMatch(/^aa00ff[0-9a-f]{2}$/);
    await field.locator('input[type="range"]').fill('100');
    expect(await page.locator('#url').inputValue()).toContain('plate=aa00ff&');
    await field.getByRole('button').click();
    expect(await page.locator('#url').inputValue()).not.toContain('plate');
    const second = page.locator('[data-name="colors"] input[type="color"]').nth(1);
    await second.fill('#00ff00');
    await expect
      .poll(() => page.locator('#colors').inputValue())
      .toMatch(/^[0-9a-f]{6},00ff00(,[0-9a-f]{6}){10}$/);
    const canvas = page.frameLocator('#preview').locator('canvas');
    await expect.poll(() => canvas.evaluate(isDrawnInGreen)).toBe(true);
  });
});
