import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { launchChromium } from './chromium.ts';
import { WidgetSite } from './widget-site.ts';

const OVERLAYS = 20;
const WIDGET_PAGES = 5;
const WIDGETS_PER_PAGE = 6;

let browser: Browser;
let site: WidgetSite;

beforeAll(async () => {
  browser = await launchChromium();
  site = await WidgetSite.open();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** The text of every screen on a page: an overlay is one, each widget is one. */
function screens(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const widgets = [...document.querySelectorAll('poll-results')];
    const roots = widgets.length > 0 ? widgets.map(widget => widget.shadowRoot) : [document.body];
    return roots.map(root => root?.textContent ?? '');
  });
}

async function allShow(pages: readonly Page[], text: string): Promise<boolean> {
  const shown = (await Promise.all(pages.map(screens))).flat();
  expect(shown).toHaveLength(OVERLAYS + WIDGET_PAGES * WIDGETS_PER_PAGE);
  return shown.every(screen => screen.includes(text));
}

it('heals 50 open overlays and widgets without a reload when the relay comes back', async () => {
  const { id } = await site.create();
  await site.cast(id, 0, 321);
  const context = await browser.newContext({ viewport: { width: 640, height: 360 } });
  const overlays = Array.from({ length: OVERLAYS }, async () => {
    const page = await context.newPage();
    await page.goto(`${site.relayUrl}/overlay/${id}?show=count`);
    return page;
  });
  const pages = await Promise.all(overlays);
  const widgets = `<poll-results poll="${id}" values="count"></poll-results>`.repeat(WIDGETS_PER_PAGE);
  for (let page = 0; page < WIDGET_PAGES; page += 1) pages.push(await site.visit(browser, widgets));
  await until(() => allShow(pages, '321'), 'every screen to show 321 votes', 30_000);
  for (const page of pages) await page.evaluate(() => Object.assign(globalThis, { neverReloaded: true }));

  await site.stopRelay();
  await site.cast(id, 0, 333);
  expect(await allShow(pages, '321')).toBe(true);
  await site.startRelay();
  await until(() => allShow(pages, '654'), 'every screen to show 654 votes', 40_000);
  for (const page of pages) expect(await page.evaluate(() => 'neverReloaded' in globalThis)).toBe(true);
});
