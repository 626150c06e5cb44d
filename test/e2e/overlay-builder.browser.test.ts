import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserRig } from './browser-rig.ts';
import { serveOverlay } from './overlay-site.ts';
import { firstColor } from './pixels.ts';

const ID = 'Ab3456789012';
const rig = browserRig(serveOverlay);

async function openBuilder(colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await rig.browser.newPage({ viewport: { width: 1500, height: 1000 }, colorScheme });
  await page.goto(`${rig.site.url}/overlay`);
  await page.frameLocator('#preview').locator('.panel').waitFor();
  return page;
}

async function colorAt(page: Page, x: number, y: number): Promise<string> {
  return firstColor(rig.browser, await page.screenshot({ clip: { x, y, width: 1, height: 1 } }));
}

describe('the preview', () => {
  it('shows what is behind the overlay on a dark system as on a light one', async () => {
    const colors = [];
    for (const scheme of ['light', 'dark'] as const) {
      const page = await openBuilder(scheme);
      const { x, y } = (await page.locator('#scene').boundingBox())!;
      colors.push(await colorAt(page, x + 30, y + 30));
    }
    expect(colors[1]).toBe(colors[0]);
    expect(colors[1]).not.toBe('255,255,255');
  });

  it.each(['light', 'dark', 'light dark'])(
    'is see-through with its code in a page that is %s',
    async scheme => {
      const builder = await openBuilder();
      const code = await builder.locator('#embed').inputValue();
      expect(code).toContain(`src="${rig.site.url}/overlay/rehearsal?rehearsal=1"`);
      const page = await rig.browser.newPage({ colorScheme: 'dark', viewport: { width: 640, height: 360 } });
      await page.setContent(
        `<style>:root { color-scheme: ${scheme} } body { margin: 0; background: rgb(9, 99, 199) }</style>${code}`,
      );
      await page.frameLocator('iframe').locator('.panel').waitFor();
      expect(await colorAt(page, 320, 5)).toBe('9,99,199');
    },
  );
});

describe('the address to copy', () => {
  const copyable = (page: Page) =>
    Promise.all([
      page.locator('#url').inputValue(),
      page.locator('#copy').isEnabled(),
      page.locator('#loader').isEnabled(),
    ]);

  it.each([
    ['poll', 'the id of the poll'],
    ['show', 'the name of the show'],
  ])('waits for the name of the %s, and says so', async (source, words) => {
    const page = await openBuilder();
    expect(await copyable(page)).toEqual([expect.stringContaining('rehearsal=1'), true, true]);
    await page.locator(`input[value="${source}"]`).click();
    expect(await copyable(page)).toEqual(['', false, false]);
    expect(await page.locator('#missing').textContent()).toContain(`Enter ${words}`);
    await page.locator(`#${source}`).fill('abc');
    const path = source === 'show' ? 'show/abc' : 'abc';
    expect(await copyable(page)).toEqual([`${rig.site.url}/overlay/${path}`, true, true]);
    expect(await page.locator('#missing').textContent()).toBe('');
  });

  it.each([
    [`https://vote.example/${ID}`, `/overlay/${ID}`],
    [`https://vote.example/${ID}/manage#key=admin_x`, `/overlay/${ID}`],
    [`https://relay.example/overlay/${ID}?theme=light#key=view_x`, `/overlay/${ID}?theme=light#key=view_x`],
    ['https://vote.example/show/friday', '/overlay/show/friday'],
  ])('comes from a pasted link such as %s', async (link, path) => {
    const page = await openBuilder();
    await page.locator('#paste').fill(link);
    await page.locator('#paste').blur();
    expect(await page.locator('#url').inputValue()).toBe(`${rig.site.url}${path}`);
    expect(await page.locator('#issues li').count()).toBe(0);
  });

  it('comes from a link in the field for the id, and keeps how it looks', async () => {
    const page = await openBuilder();
    await page.locator('select[name="theme"]').selectOption('flat');
    await page.locator('input[value="poll"]').click();
    await page.locator('#poll').fill(`https://vote.example/${ID}`);
    expect(await page.locator('#poll').inputValue()).toBe(ID);
    expect(await page.locator('#url').inputValue()).toBe(`${rig.site.url}/overlay/${ID}?theme=flat`);
  });

  it('is refused from a link that names neither', async () => {
    const page = await openBuilder();
    await page.locator('#paste').fill('https://vote.example/new');
    await page.locator('#paste').blur();
    expect(await page.locator('#issues li').textContent()).toContain('no other link to a poll or a show');
  });
});
