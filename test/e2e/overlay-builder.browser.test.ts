import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startTestRelay } from '../support/test-relay.ts';
import { browserRig } from './browser-rig.ts';
import { openBuilder } from './builder-page.ts';
import { firstColor } from './pixels.ts';

const rig = browserRig(() => startTestRelay());

async function colorAt(page: Page, x: number, y: number): Promise<string> {
  return firstColor(rig.browser, await page.screenshot({ clip: { x, y, width: 1, height: 1 } }));
}

describe('the preview', () => {
  it('has the same backdrop on dark and light systems', async () => {
    const colors = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openBuilder(rig.browser, rig.site.url, { colorScheme });
      const { x, y } = (await page.locator('#scene').boundingBox())!;
      colors.push(await colorAt(page, x + 30, y + 30));
    }
    expect(colors[1]).toBe(colors[0]);
    expect(colors[1]).not.toBe('255,255,255');
  });

  it.each(['light', 'dark', 'light dark'])(
    'is transparent when embedded in a page with color-scheme %s',
    async scheme => {
      const builder = await openBuilder(rig.browser, rig.site.url);
      const code = await builder.locator('#embed').inputValue();
      expect(code).toContain(`src="${rig.site.url}/overlay/rehearsal?rehearsal=1"`);
      const page = await rig.browser.newPage({ colorScheme: 'dark', viewport: { width: 640, height: 360 } });
      await page.setContent(
        `<style>:root { color-scheme: ${scheme} } body { margin: 0; background: rgb(9, 99, 199) }</style>${code}`,
      );
      await page.frameLocator('iframe').locator('[data-on=true]').waitFor();
      expect(await colorAt(page, 320, 5)).toBe('9,99,199');
    },
  );

  it('has backdrops of bright, dark and busy video, or none', async () => {
    const page = await openBuilder(rig.browser, rig.site.url);
    const { x, y, width } = (await page.locator('#scene').boundingBox())!;
    const colors = new Set<string>();
    for (const backdrop of ['busy', 'bright', 'dark', 'clear']) {
      await page.locator('#backdrop').selectOption(backdrop);
      colors.add(await colorAt(page, x + width - 9, y + 9));
    }
    expect(colors.size).toBe(4);
  });

  it.each([
    ['hidden', '.hidden'],
    ['tie', '.leads'],
    ['waiting', '.waiting'],
  ])('rehearses the moment %s, also in its URL', async (moment, mark) => {
    const page = await openBuilder(rig.browser, rig.site.url);
    await page.locator('#moment').selectOption(moment);
    await page.frameLocator('#preview').locator(mark).first().waitFor({ state: 'attached' });
    expect(await page.locator('#url').inputValue()).toContain(`moment=${moment}`);
  });

  it('enters and leaves on its buttons', async () => {
    const page = await openBuilder(rig.browser, rig.site.url);
    const overlay = page.frameLocator('#preview');
    await page.locator('#stop').click();
    await overlay.locator('[data-on=false]').waitFor({ state: 'attached' });
    await page.locator('#play').click();
    await overlay.locator('[data-on=true] .title').waitFor({ state: 'attached' });
  });
});

describe('the reveal', () => {
  it('can be rehearsed from hidden results, and is disabled without results', async () => {
    const page = await openBuilder(rig.browser, rig.site.url);
    const overlay = page.frameLocator('#preview');
    await page.locator('#moment').selectOption('hidden');
    await overlay.locator('.words:not(:has(.total)) .row').first().waitFor({ state: 'attached' });
    await page.locator('#next').click();
    await overlay.locator('.total').waitFor({ state: 'attached' });
    await page.locator('#moment').selectOption('waiting');
    expect(await page.locator('#next').isEnabled()).toBe(false);
    const { id } = await rig.site.create({ title: 'Locked', results_visibility: 'hidden' });
    await page.locator('#link').fill(id);
    await page.getByText('Its results are hidden.').waitFor();
    expect(await page.locator('#next').isEnabled()).toBe(false);
  });
});

describe('the URL to copy', () => {
  const copyable = (page: Page) =>
    Promise.all([
      page.locator('#url').inputValue(),
      page.locator('#copy').isEnabled(),
      page.locator('#copy-embed').isEnabled(),
      page.locator('#loader').isEnabled(),
    ]);

  it('is that of the preview: the pasted poll with its settings', async () => {
    const { id } = await rig.site.create({
      title: 'Which song next?',
      answers: ['Waterloo', 'Volare'],
    });
    const page = await openBuilder(rig.browser, rig.site.url);
    await page.locator('#link').fill(`https://vote.example/${id}/manage#key=admin_x`);
    await page.getByText('“Which song next?” is open.').waitFor();
    expect(await page.locator('#link').inputValue()).toBe(id);
    expect(await page.locator('#said').textContent()).toContain('This is the manage page of a poll.');
    expect(await page.locator('#said').textContent()).toContain('isn’t a view key, so it was left out');
    await page.locator('input[name="theme"][value="flat"]').check();
    await page
      .frameLocator('#preview')
      .locator('[data-theme=flat] .title', { hasText: 'Which song next?' })
      .waitFor({ state: 'attached' });
    const shown = page.frames().at(-1)!.url();
    expect(await copyable(page)).toEqual([`${rig.site.url}/overlay/${id}?theme=flat`, true, true, true]);
    expect(shown).toBe(`${rig.site.url}/overlay/${id}?theme=flat`);
  });

  it('has the view key in its fragment, which hidden results need', async () => {
    const { id, view_key } = await rig.site.create({ title: 'Secret', results_visibility: 'hidden' });
    const page = await openBuilder(rig.browser, rig.site.url);
    await page.locator('#link').fill(id);
    await page.getByText('Its results are hidden.').waitFor();
    await page.locator('#key').fill('view_wrong');
    await page.getByText('This view key isn’t valid for this poll.').first().waitFor();
    expect(await copyable(page)).toEqual(['', false, false, false]);
    await page.locator('#key').fill(view_key);
    await page.getByText('“Secret” is open.').waitFor();
    expect((await copyable(page))[0]).toBe(`${rig.site.url}/overlay/${id}#key=${view_key}`);
  });

  it.each([
    ['https://www.example.com/watch?v=abc', 'isn’t for a poll or show'],
    ['https://vote.example/Zz3456789012', 'There’s no poll Zz3456789012 on this server'],
  ])('is empty for %s, with a reason', async (link, words) => {
    const page = await openBuilder(rig.browser, rig.site.url);
    await page.locator('#link').fill(link);
    await page.locator('#missing', { hasText: words }).waitFor();
    expect(await page.locator('#said').textContent()).toContain(words);
    expect(await copyable(page)).toEqual(['', false, false, false]);
  });

  it('is that of a show after switching an ambiguous word', async () => {
    const page = await openBuilder(rig.browser, rig.site.url);
    await page.locator('#link').fill('fridaynights');
    await page.locator('#other').click();
    await page.getByText('There’s no show named fridaynights yet').waitFor();
    expect((await copyable(page))[0]).toBe(`${rig.site.url}/overlay/show/fridaynights`);
  });

  it('returns to the poll itself when copied from a rehearsed moment', async () => {
    const { id } = await rig.site.create({ title: 'Real' });
    const page = await openBuilder(rig.browser, rig.site.url);
    await page.locator('#link').fill(id);
    await page.frameLocator('#preview').locator('.title', { hasText: 'Real' }).waitFor({ state: 'attached' });
    await page.locator('#moment').selectOption('tie');
    await page.frameLocator('#preview').locator('.rehearsal').waitFor({ state: 'attached' });
    expect(await page.locator('#missing').textContent()).toContain('previewing a rehearsal');
    await page.locator('#copy').click();
    await page.frameLocator('#preview').locator('.title', { hasText: 'Real' }).waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('#copy').textContent()).toBe('Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${rig.site.url}/overlay/${id}`);
  });

  it('survives a reload', async () => {
    const page = await openBuilder(rig.browser, rig.site.url);
    await page.locator('#link').fill('friday-night');
    await page.locator('input[name="style"][value="donut"]').check();
    const before = await copyable(page);
    expect(before[0]).toBe(`${rig.site.url}/overlay/show/friday-night?style=donut`);
    await page.reload();
    await expect.poll(() => copyable(page)).toEqual(before);
  });
});
