import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startTestRelay } from '../support/test-relay.ts';
import { browserRig } from './browser-rig.ts';
import { differingRows } from './pixels.ts';

const LIMIT_BYTES = 150_000;
/** Not modified: heads, and the live stream. */
const AGAIN_BYTES = 6_000;

const rig = browserRig(() => startTestRelay());

interface Loads {
  readonly bytes: number;
  readonly fonts: string[];
}

/** What a page has loaded over the network by the time that its poll is drawn in the font that it asks for. */
async function load(page: Page, url: string): Promise<Loads> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  const fonts: string[] = [];
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  session.on('Network.responseReceived', ({ response }) => {
    const isCached = response.fromDiskCache === true;
    if (response.url.endsWith('.woff2') && !isCached) fonts.push(/inter-([a-z-]+)/.exec(response.url)![1]!);
  });
  await page.goto(url);
  await page.locator('.row').first().waitFor();
  await page.evaluate(async () => {
    await document.fonts.ready;
  });
  await session.detach();
  return { bytes, fonts: fonts.sort() };
}

async function screenshot(session: CDPSession): Promise<Buffer> {
  // Not the one of the page, which waits for fonts.
  const { data } = await session.send('Page.captureScreenshot');
  return Buffer.from(data, 'base64');
}

describe('the page of an overlay', () => {
  it.each([
    ['Which song should close the show?', ['latin']],
    ['Która piosenka zakończy występ?', ['latin', 'latin-european']],
    ['Яка пісня закриє шоу?', ['cyrillic', 'latin']],
  ])('weighs at most 150 KB with its font, and next to nothing the second time: %s', async (title, fonts) => {
    const { id } = await rig.site.create({ title });
    const context = await rig.browser.newContext({ locale: 'en-US' });
    const url = `${rig.site.url}/overlay/${id}`;
    const first = await load(await context.newPage(), url);
    expect(first.fonts).toEqual(fonts);
    expect(first.bytes).toBeLessThan(LIMIT_BYTES);
    expect(first.bytes).toBeGreaterThan(40_000);
    const again = await load(await context.newPage(), url);
    expect(again.fonts).toEqual([]);
    expect(again.bytes).toBeLessThan(AGAIN_BYTES);
  });

  it('can be read before its font is there', async () => {
    const { id } = await rig.site.create({ title: 'Read me now' });
    const page = await rig.browser.newPage();
    await page.route('**/*.woff2', () => new Promise(() => {}));
    await page.goto(`${rig.site.url}/overlay/${id}`);
    await page.locator('.row').first().waitFor();
    expect(await page.evaluate(() => document.fonts.status)).toBe('loading');
    const session = await page.context().newCDPSession(page);
    const drawn = await screenshot(session);
    await page
      .locator('.title')
      .evaluate(title => (title as HTMLElement).style.setProperty('color', '#0000'));
    const rows = await differingRows(rig.browser, drawn, await screenshot(session));
    expect(rows.length).toBeGreaterThan(10);
  });
});
