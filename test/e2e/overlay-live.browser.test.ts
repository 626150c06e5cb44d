import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserRig } from './browser-rig.ts';
import { WidgetSite } from './widget-site.ts';

const OPEN_OVERLAYS = 50;

const rig = browserRig(WidgetSite.open);

async function openOverlay(path: string): Promise<Page> {
  const page = await rig.browser.newPage({ viewport: { width: 1280, height: 720 }, locale: 'en-US' });
  await page.goto(`${rig.site.relayUrl}/overlay/${path}`);
  return page;
}

const total = (page: Page, text: string) =>
  page.locator('.total', { hasText: text }).waitFor({ state: 'attached' });

describe('an overlay on a relay', () => {
  it('marks the winner when the poll closes', async () => {
    const { id } = await rig.site.create();
    await rig.site.cast(id, 1, 3);
    const page = await openOverlay(id);
    await total(page, '3 votes');
    await rig.site.engine.polls.change(id, { closed: true });
    await page.locator('.tag', { hasText: 'Winner' }).waitFor({ state: 'attached' });
    expect(await page.locator('.state').textContent()).toBe('Final results');
    expect(await page.locator('.row:not(.lost) .tag').allTextContents()).toEqual(['Winner']);
  });

  it('is empty for a deleted or unknown poll', async () => {
    const { id } = await rig.site.create();
    const page = await openOverlay(id);
    await page.locator('.title').waitFor({ state: 'attached' });
    await rig.site.engine.polls.remove(id);
    await page.locator('.title').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('canvas').getAttribute('width')).toBe('0');
    for (const nothing of ['no-such-poll', 'no%20id%21', '%F0%9F%92%A9']) {
      const other = await openOverlay(nothing);
      await other.waitForFunction(() => document.title.startsWith('Nothing to show'));
      expect(await other.locator('.tallycast').getAttribute('data-on')).not.toBe('true');
      expect(await other.locator('.words > *').count()).toBe(0);
      await other.close();
    }
  });

  it('marks a rehearsal', async () => {
    const page = await openOverlay('anything?rehearsal=1');
    await page.locator('.rehearsal', { hasText: 'REHEARSAL' }).waitFor({ state: 'attached' });
    const before = await page.locator('.total').textContent();
    await page.waitForFunction(text => document.querySelector('.total')?.textContent !== text, before);
  });
});

describe('when the relay restarts', () => {
  it(`${OPEN_OVERLAYS} open overlays reconnect without a reload`, async () => {
    const { id } = await rig.site.create();
    await rig.site.cast(id, 0);
    const frames = `<iframe src="${rig.site.relayUrl}/overlay/${id}?away=1" width="90" height="60"></iframe>`;
    const page = await rig.site.visit(rig.browser, frames.repeat(OPEN_OVERLAYS), {
      // All in view: a browser draws no hidden frame.
      viewport: { width: 1280, height: 720 },
    });
    const overlays = () => page.frames().filter(frame => frame.url().includes('/overlay/'));
    const all = (selector: string) =>
      Promise.all(overlays().map(frame => frame.locator(selector).waitFor({ state: 'attached' })));
    await all('.total:text-is("1 vote")');
    const loads: string[] = [];
    page.on('framenavigated', frame => loads.push(frame.url()));
    await rig.site.stopRelay();
    await all('.words:has(.away) .title');
    await rig.site.startRelay();
    await all('.words:not(:has(.away)) .total:text-is("1 vote")');
    await rig.site.stopRelay();
    await all('.words:has(.away) .title');
    await rig.site.cast(id, 1, 4);
    await rig.site.startRelay();
    await all('.words:not(:has(.away)) .total:text-is("5 votes")');
    expect(overlays()).toHaveLength(OPEN_OVERLAYS);
    expect(loads).toEqual([]);
  });

  it('the loader file waits for the relay and then opens the overlay', async () => {
    const { id } = await rig.site.create();
    const loader = await (await fetch(`${rig.site.relayUrl}/overlay/loader.html`)).text();
    const file = join(tmpdir(), `tallycast-loader-${id}.html`);
    await writeFile(
      file,
      loader.replace('data-overlay=""', `data-overlay="${rig.site.relayUrl}/overlay/${id}#key=none"`),
    );
    await rig.site.stopRelay();
    const page = await rig.browser.newPage();
    const failed = page.waitForEvent('requestfailed');
    await page.goto(pathToFileURL(file).href);
    await failed;
    expect(page.url()).toContain('file:');
    await rig.site.startRelay();
    await page.waitForURL(`${rig.site.relayUrl}/overlay/${id}#key=none`);
    await rm(file);
  });

  it('a page that loads while the engine is unreachable draws the stored results', async () => {
    const { id } = await rig.site.create();
    await rig.site.cast(id, 0, 3);
    const page = await openOverlay(`${id}?away=1`);
    await total(page, '3 votes');
    // A relay without its engine only serves pages.
    await page.route('**/api/**', route => route.abort());
    await page.routeWebSocket('**/live*', socket => socket.close());
    await page.reload();
    await page.locator('.words:has(.away) .total', { hasText: '3 votes' }).waitFor({ state: 'attached' });
  });
});
