import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { takeShow } from '../support/test-show.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 1 }));

const KEY = /(?:admin|view|show|operator)_[\w-]{20}/;
/** Pages that a room sees, or that are passed on. */
const IS_FOR_SHARING = /\/(?:present|share|check|[0-9A-Za-z]{12}|show\/[\w-]+)$/;

/** Everything of a page that others may see: its history, address, referrer, texts, links and fields. */
async function tracesOf(page: Page): Promise<string> {
  await page.waitForLoadState();
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  const own = await page.evaluate(() => [
    document.referrer,
    location.href,
    document.documentElement.outerHTML,
    ...[...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(field => field.value),
  ]);
  return [...entries.map(({ url }) => url), ...own].join('\n');
}

/** Follows each link that leads to a page for sharing, and each one there. @returns the paths of those pages */
async function walk(page: Page, site: string, seen = new Set<string>()): Promise<string[]> {
  for (const link of await page.locator('a[href]').all()) {
    const address = new URL(await link.evaluate(element => (element as HTMLAnchorElement).href));
    if (address.origin !== site || !IS_FOR_SHARING.test(address.pathname) || seen.has(address.pathname))
      continue;
    seen.add(address.pathname);
    expect(address.href).not.toMatch(KEY);
    const opened = page.context().waitForEvent('page');
    // In a tab of its own, whatever the link says.
    await link.evaluate(element => {
      (element as HTMLAnchorElement).target = '_blank';
      (element as HTMLAnchorElement).click();
    });
    const next = await opened;
    expect(await tracesOf(next)).not.toMatch(KEY);
    await walk(next, site, seen);
    await next.close();
  }
  return [...seen].sort();
}

async function open(address: string): Promise<Page> {
  const context = await rig.browser.newContext({ locale: 'en-US' });
  // Also what other servers would learn.
  context.on('request', request => expect(request.headers()['referer'] ?? '').not.toMatch(KEY));
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

it('no page for sharing that the manage page leads to has a key', async () => {
  const { id, adminKey } = await rig.site.createPoll({ mip: true, verifiable: true });
  const page = await open(`${rig.site.url}/${id}/manage#key=${adminKey}`);
  await page.getByRole('button', { name: 'Close voting' }).waitFor();
  expect(await walk(page, rig.site.url)).toEqual([`/${id}`, `/${id}/check`, `/${id}/present`]);
});

it('no page for sharing that the desk leads to has a key', async () => {
  const show = await takeShow(rig.site.relay);
  await show.addPoll();
  const page = await open(`${rig.site.url}/desk/${show.name}#key=${show.key}`);
  await page.locator('[data-rundown] li').waitFor();
  expect(await walk(page, rig.site.url)).toEqual([`/show/${show.name}/present`, `/show/${show.name}/share`]);
});

it('a link with a key, opened or pasted into the open page, leaves no key in the address', async () => {
  const show = await takeShow(rig.site.relay);
  const { id, adminKey } = await rig.site.createPoll({ mip: true });
  for (const [path, key] of [
    [`/show/${show.name}/share`, show.key],
    [`/desk/${show.name}`, show.key],
    [`/${id}/manage`, adminKey],
  ]) {
    const page = await open(`${rig.site.url}${path}#key=${key}`);
    await expect.poll(() => page.url()).toBe(`${rig.site.url}${path}`);
    await page.locator('main h1, [data-work]').first().waitFor({ state: 'attached' });
    await page.goto(`${rig.site.url}${path}#key=${key}`);
    await expect.poll(() => page.url()).toBe(`${rig.site.url}${path}`);
  }
});
