import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserRig } from './browser-rig.ts';
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

const call = (page: Page, name: string, data?: string) =>
  page.evaluate(
    ([fn, text]) => (globalThis as unknown as Record<string, (data?: string) => void>)[fn]?.(text),
    [name, data] as const,
  );

describe.each([
  [
    'tallycast-casparcg.html',
    (url: string) =>
      `<templateData><componentData id="f0"><data id="text" value="${url.replace('&', '&amp;')}"/></componentData></templateData>`,
  ],
  ['tallycast-spx.html', (url: string) => JSON.stringify({ f0: url })],
])('the template %s', (name, format) => {
  it('draws the overlay it is told, comes with play and goes with stop', async () => {
    const { id } = await rig.site.create({ title: 'On air' });
    await rig.site.cast(id, 0);
    const page = await openTemplate(name);
    await call(page, 'update', format(`${rig.site.relayUrl}/overlay/${id}?style=donut&theme=flat`));
    await page
      .locator('.style-donut.theme-flat.off .title', { hasText: 'On air' })
      .waitFor({ state: 'attached' });
    await call(page, 'play');
    await page.locator('.tallycast:not(.off)').waitFor();
    await rig.site.cast(id, 1);
    await page.locator('.total', { hasText: '2 votes' }).waitFor();
    await call(page, 'update', 'neither JSON nor XML <');
    expect(await page.locator('.title').textContent()).toBe('On air');
    await call(page, 'stop');
    await page.locator('.tallycast.off').waitFor({ state: 'attached' });
  });
});

type Graphic = Record<string, (payload: object) => Promise<{ statusCode: number; currentStep?: number }>>;

describe('the OGraf graphic', () => {
  it('loads, plays, updates, stops and is disposed of by the methods of the specification', async () => {
    const first = await rig.site.create({ title: 'First' });
    const second = await rig.site.create({ title: 'Second' });
    const page = await rig.site.visit(
      rig.browser,
      '<div style="width:960px;height:540px" id="layer"></div>',
      {
        viewport: { width: 960, height: 540 },
      },
    );
    await page.addScriptTag({
      type: 'module',
      content: `import Graphic from '${rig.site.relayUrl}/overlay/templates/ograf/graphic.mjs';
        customElements.define('poll-graphic', Graphic);
        const graphic = document.createElement('poll-graphic');
        graphic.id = 'graphic';
        document.querySelector('#layer').append(graphic);`,
    });
    await page.locator('#graphic').waitFor({ state: 'attached' });
    const act = (action: string, payload: object) =>
      page.evaluate(
        ([name, argument]) => (document.querySelector('#graphic') as unknown as Graphic)[name]?.(argument),
        [action, payload] as const,
      );
    const played = [
      await act('load', { data: { url: `${rig.site.relayUrl}/overlay/${first.id}` } }),
      await act('playAction', { skipAnimation: true }),
      await act('customAction', { id: 'none' }),
      await act('updateAction', { data: { url: 'nonsense' } }),
    ];
    expect(played.map(reply => reply?.statusCode)).toEqual([200, 200, 404, 400]);
    expect(played[1]?.currentStep).toBe(0);
    await page.locator('#graphic .tallycast:not(.off) .title', { hasText: 'First' }).waitFor();
    await act('updateAction', { data: { url: `${rig.site.relayUrl}/overlay/${second.id}` } });
    await page.locator('#graphic .title', { hasText: 'Second' }).waitFor();
    await act('stopAction', { skipAnimation: true });
    expect(await page.locator('#graphic .tallycast.off').count()).toBe(1);
    await act('dispose', {});
    expect(await page.locator('#graphic .tallycast').count()).toBe(0);
  });
});
