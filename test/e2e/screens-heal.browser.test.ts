import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { browserRig } from './browser-rig.ts';
import { WidgetSite } from './widget-site.ts';

const OVERLAYS = 20;
const WIDGETS = 30;
/** Fifty screens take their time where other tests run beside them. */
const PATIENCE_MS = 100_000;

const rig = browserRig(WidgetSite.open);

/** The text of every screen: each overlay is a frame of the page, each widget a shadow root. */
async function screens(page: Page): Promise<string[]> {
  const widgets = page.evaluate(() =>
    [...document.querySelectorAll('poll-results')].map(({ shadowRoot }) => shadowRoot?.textContent ?? ''),
  );
  const overlays = page
    .frames()
    .filter(frame => frame !== page.mainFrame())
    .map(frame => frame.evaluate(() => document.body.textContent ?? ''));
  return [...(await widgets), ...(await Promise.all(overlays))];
}

async function allShow(page: Page, text: string): Promise<boolean> {
  const shown = await screens(page);
  expect(shown).toHaveLength(OVERLAYS + WIDGETS);
  return shown.every(screen => screen.includes(text));
}

it('heals 50 open overlays and widgets without a reload when the relay comes back', {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  const { id } = await rig.site.create();
  await rig.site.cast(id, 0, 321);
  const overlay = `<iframe src="${rig.site.relayUrl}/overlay/${id}?values=count&speed=0" width="320" height="180"></iframe>`;
  const widget = `<poll-results poll="${id}" values="count"></poll-results>`;
  const page = await rig.site.visit(rig.browser, overlay.repeat(OVERLAYS) + widget.repeat(WIDGETS));
  let loads = 0;
  page.on('framenavigated', () => {
    loads += 1;
  });
  await until(() => allShow(page, '321'), 'every screen to show 321 votes', PATIENCE_MS);
  loads = 0;

  await rig.site.stopRelay();
  await rig.site.cast(id, 0, 333);
  expect(await allShow(page, '321')).toBe(true);
  await rig.site.startRelay();
  await until(() => allShow(page, '654'), 'every screen to show 654 votes', PATIENCE_MS);
  expect(loads).toBe(0);
});
