import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserRig } from './browser-rig.ts';
import { looksLike } from './graphic-look.ts';
import { WidgetSite } from './widget-site.ts';

const rig = browserRig(WidgetSite.open);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallycast-templates-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Opens a template as a playout server does: from its own disk. */
async function openTemplate(name: string): Promise<Page> {
  const file = join(folder, name);
  const reply = await fetch(`${rig.site.relayUrl}/overlay/templates/${name}`);
  await writeFile(file, Buffer.from(await reply.arrayBuffer()));
  const page = await rig.browser.newPage();
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction('typeof update === "function"');
  return page;
}

/** Calls a function of the template like a playout server, and awaits it. */
const call = (page: Page, name: string, data?: string) =>
  page.evaluate(
    ([fn, text]) => (globalThis as unknown as Record<string, (data?: string) => Promise<void>>)[fn]?.(text),
    [name, data] as const,
  );

const asXml = (fields: Record<string, string>) => {
  const components = Object.entries(fields).map(
    ([id, value]) =>
      `<componentData id="${id}"><data id="text" value="${value.replaceAll('&', '&amp;')}"/></componentData>`,
  );
  return `<templateData>${components.join('')}</templateData>`;
};

describe.each([
  ['tallycast-casparcg.html', asXml],
  ['tallycast-spx.html', JSON.stringify],
])('the template %s', (name, format) => {
  it('draws its overlay, appears with play, reveals with next, and disappears with stop', async () => {
    const { id } = await rig.site.create({ title: 'On air' });
    await rig.site.cast(id, 0);
    const page = await openTemplate(name);
    await call(page, 'update', format({ f0: `${rig.site.relayUrl}/overlay/${id}?style=donut&theme=flat` }));
    expect(await page.evaluate(looksLike)).toMatchObject({ on: false, blank: true });
    expect(await page.locator('[data-style=donut][data-theme=flat]').count()).toBe(1);
    await call(page, 'play');
    expect(await page.evaluate(looksLike)).toMatchObject({
      title: 'On air',
      on: true,
      blank: false,
      moving: false,
    });
    await rig.site.cast(id, 1);
    await page.locator('.total', { hasText: '2 votes' }).waitFor({ state: 'attached' });
    await call(page, 'next');
    expect(await page.evaluate(looksLike)).toMatchObject({ on: true, blank: false, moving: false });
    await rig.site.cast(id, 0);
    await rig.site.engine.polls.change(id, { closed: true });
    await page.locator('.total', { hasText: '3 votes' }).waitFor({ state: 'attached' });
    await call(page, 'stop');
    await call(page, 'update', format({ f4: '1' }));
    for (const figures of [[], ['33%'], ['67%', '33%']]) {
      await call(page, 'next');
      expect(await page.evaluate(looksLike)).toMatchObject({ on: true, figures });
    }
    await call(page, 'update', 'neither JSON nor XML <');
    expect(await page.evaluate(looksLike)).toMatchObject({ title: 'On air', on: true });
    await call(page, 'stop');
    expect(await page.evaluate(looksLike)).toMatchObject({ on: false, blank: true });
  });
});
