import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startTestRelay } from '../support/test-relay.ts';
import { findViolations } from './axe.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig(() => startTestRelay());

/** The first of each list of families that a text of the page has. */
function familiesOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const hasText = ({ childNodes }: Element) =>
      [...childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
    const shown = [...document.querySelectorAll('body *')].filter(one => one.checkVisibility());
    const families = shown.filter(hasText).map(one => getComputedStyle(one).fontFamily.split(',')[0]!);
    return [...new Set(families)].sort();
  });
}

describe.each([
  ['light', 320],
  ['dark', 1280],
] as const)('pages of a relay, in %s colors, %i pixels wide', (colorScheme, width) => {
  it.each([
    ['/', '.doors'],
    ['/no/such/page', '.doors'],
    ['/docs/protocol', 'h1'],
    ['/docs/log', 'h1'],
    ['/docs/chat', 'h1'],
    ['/docs', 'h1'],
    ['/docs/client', 'h1'],
    ['/docs/reference', '.opblock'],
  ])('%s fits, is accessible, and sends requests to its relay only', async (path, content) => {
    const page = await rig.browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    const foreign: string[] = [];
    const faults: string[] = [];
    page.on('request', request => {
      const url = request.url();
      if (!url.startsWith(rig.site.url) && !url.startsWith('data:')) foreign.push(url);
    });
    page.on('console', message => {
      if (message.type() === 'error' && !message.text().includes('404')) faults.push(message.text());
    });
    await page.goto(rig.site.url + path, { waitUntil: 'networkidle' });
    await page.waitForSelector(content);
    const violations = await findViolations(page);
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    const families = (await familiesOf(page)).filter(family => family !== 'ui-monospace');
    expect({ violations, foreign, faults, isWide, families }).toEqual({
      violations: [],
      foreign: [],
      faults: [],
      isWide: false,
      families: ['Inter'],
    });
  });
});

it('/docs/reference sends a request and shows the reply, in the letters of the other pages', async () => {
  const page = await rig.browser.newPage();
  await page.goto(`${rig.site.url}/docs/reference`, { waitUntil: 'networkidle' });
  await page.click('.opblock-post .opblock-summary-control >> nth=0');
  await page.click('.opblock-post .execute >> nth=0');
  await page.waitForSelector('.live-responses-table .response-col_status >> text=201');
  expect(await familiesOf(page)).toEqual(['Inter', 'ui-monospace']);
});
