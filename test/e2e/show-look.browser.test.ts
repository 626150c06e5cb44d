import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { drawingStyles, styleTraits } from '../../src/picture/styles.ts';
import { ask, send } from '../support/api-request.ts';
import { png } from '../support/images.ts';
import type { TestShow } from '../support/test-show.ts';
import { deskRig } from './desk/desk-rig.ts';

/** The look of a show on every surface, over a real relay. */

const rig = deskRig();
afterEach(() => {
  expect(rig.faults.splice(0)).toEqual([]);
});

const SIZES = { wide: png(400, 100), square: png(200, 200), tall: png(60, 240) };
const LONG =
  'Which of these songs, all of which were sung tonight, should win the great final of this long evening?';
const overlayOf = ({ name }: TestShow, query = '') => `${rig.site.relay.url}/overlay/show/${name}${query}`;

async function putLogo({ name, key }: TestShow, image: Buffer): Promise<void> {
  const reply = await ask(`${rig.site.relay.url}/api/show/${name}/logo`, {
    method: 'PUT',
    headers: { 'x-api-key': key, 'content-type': 'image/png' },
    body: new Uint8Array(image),
  });
  expect(reply.status).toBe(200);
}

async function onAir(poll: Record<string, unknown> = {}): Promise<{ show: TestShow; id: string }> {
  const show = await rig.takeShow();
  const { id } = (await show.addPoll(poll)).json;
  await show.addPoll({ title: 'The next question' });
  await show.patch({ on_air: id });
  return { show, id };
}

const accentOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim());

it('reaches overlay, desk and voting page without a reload, and leaves a choice as it is', async () => {
  const { show, id } = await onAir();
  const overlay = await rig.open(overlayOf(show));
  const own = await rig.open(overlayOf(show, '?style=columns'));
  const desk = await rig.desk(show);
  const phone = await rig.open(`${rig.site.url}/${id}?show=${show.name}`, 390);
  for (const page of [overlay, own]) await page.locator('.style-bars, .style-columns').waitFor();
  await phone.getByLabel('Volare').check();
  const pages = [overlay, own, desk, phone];
  for (const page of pages) await page.evaluate(() => Object.assign(window, { isSamePage: true }));

  await show.patch({ look: { style: 'donut', theme: 'light', accent: '#0a7d3b' } });
  await putLogo(show, SIZES.wide);
  await overlay.locator('.style-donut.theme-light .logo').waitFor();
  await own.locator('.style-columns.theme-light .logo').waitFor();
  for (const place of ['air', 'next'])
    await desk
      .frameLocator(`[data-picture=${place}] iframe`)
      .locator('.style-donut.theme-light .logo')
      .waitFor();
  await desk
    .frameLocator('[data-picture=next] iframe')
    .locator('.title', { hasText: 'The next question' })
    .waitFor();
  await expect.poll(() => accentOf(phone)).toBe('#0a7d3b');
  await phone.locator('.show-logo').waitFor();
  expect(await phone.getByLabel('Volare').isChecked()).toBe(true);

  await show.patch({ look: null });
  await overlay.locator('.style-bars.theme-dark .logo').waitFor();
  await expect.poll(() => accentOf(phone)).not.toBe('#0a7d3b');
  for (const page of pages) expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  expect(await overlay.locator('.tallycast').count()).toBe(1);
});

it('shows nothing that is hidden, and no overlay that is off', async () => {
  const { show, id } = await onAir({ results_visibility: 'hidden' });
  await rig.site.relay.cast(id);
  const overlay = await rig.open(overlayOf(show));
  const off = await rig.open(overlayOf(show, '?hide=1'));
  await overlay.locator('.blank').waitFor();
  const seen: string[] = [];
  await off.exposeFunction('report', (text: string) => seen.push(text));
  await show.patch({ look: { style: 'donut' } });
  await overlay.locator('.style-donut .blank').waitFor();
  await expect(overlay.locator('.values').filter({ visible: true }).count()).resolves.toBe(0);

  await send(`${rig.site.relay.url}/api/poll/${id}`, 'PATCH', { poll: { status: 'closed' } }, show.key);
  await off.locator('.tallycast.off').waitFor({ state: 'attached' });
  await off.evaluate(() => {
    const look = () => {
      const stages = [...document.querySelectorAll('.tallycast')];
      if (stages.some(stage => stage.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true })))
        (window as unknown as { report(text: string): void }).report('visible');
      requestAnimationFrame(look);
    };
    setTimeout(look, 1_000);
  });
  await off.waitForTimeout(1_200);
  await show.patch({ look: { style: 'columns', theme: 'light' } });
  await off.locator('.style-columns.off').waitFor({ state: 'attached' });
  await putLogo(show, SIZES.square);
  await off.waitForTimeout(600);
  expect(seen).toEqual([]);
});

it('draws a logo of any shape within the panel, and over no text', async () => {
  const { show, id } = await onAir({ title: 'Which song?' });
  const long = (await show.addPoll({ title: LONG, answers: ['Waterloo', 'Volare', 'Fuego'] })).json.id;
  await rig.site.relay.cast(id);
  const screens = [await rig.open(overlayOf(show), 1920, 1080), await rig.open(overlayOf(show), 400, 225)];
  const faults: string[] = [];
  for (const style of drawingStyles.filter(name => !styleTraits[name].isApart)) {
    await show.patch({ look: { style, speed: 0 } });
    for (const [shape, image] of Object.entries(SIZES)) {
      await putLogo(show, image);
      const { logo } = (await show.get()).json;
      for (const poll of [id, long]) {
        await show.patch({ on_air: poll });
        for (const page of screens) {
          const title = poll === long ? 'Which of' : 'Which song?';
          await page.locator(`.style-${style} .title`, { hasText: title }).waitFor({ state: 'attached' });
          await page.locator(`.logo[src$="${logo}"]`).waitFor({ state: 'attached' });
          const found = await page.evaluate(collide);
          if (found) faults.push(`${style} ${shape} ${title} ${page.viewportSize()!.width}: ${found}`);
        }
      }
    }
  }
  expect(faults).toEqual([]);
});

/** In the page: returns what is wrong with the place of the logo, if it is shown. */
function collide(): string {
  const panel = document.querySelector('.panel')!.getBoundingClientRect();
  if (Math.abs(panel.left - innerWidth * 0.05) > 1) return `not at the left: ${panel.left}`;
  const logo = document.querySelector<HTMLElement>('.logo')!;
  if (logo.hidden) return '';
  const box = logo.getBoundingClientRect();
  if (
    box.left < panel.left ||
    box.right > panel.right + 0.5 ||
    box.top < panel.top ||
    box.bottom > panel.bottom
  )
    return 'outside the panel';
  if (box.width > panel.width / 3 || box.height < 1) return `has a size of ${box.width} × ${box.height}`;
  for (const element of document.querySelectorAll('.title, .label, .values span, .foot span')) {
    const range = document.createRange();
    range.selectNodeContents(element);
    for (const text of range.getClientRects())
      if (text.left < box.right && text.right > box.left && text.top < box.bottom && text.bottom > box.top)
        return `over ${element.className}`;
  }
  return '';
}

it('leaves out a logo that is turned off or cannot be loaded', async () => {
  const { show } = await onAir();
  await putLogo(show, SIZES.square);
  const without = await rig.open(overlayOf(show, '?logo=0'));
  await without.locator('.panel').waitFor();
  const context = await rig.browser.newContext();
  const failing = await context.newPage();
  await failing.route('**/logo/**', route => route.abort());
  await failing.goto(overlayOf(show));
  await failing.locator('.panel').waitFor();
  await failing.waitForTimeout(500);
  for (const page of [without, failing]) expect(await page.locator('img').count()).toBe(0);
  await failing.unroute('**/logo/**');
  await show.press('next');
  await failing.locator('.logo').waitFor();
});

it('is loaded, saved and left out of addresses by the builder, with a key that is in no URL', async () => {
  const { show } = await onAir();
  await show.patch({ look: { style: 'donut' } });
  const requests: string[] = [];
  const page = await rig.open('about:blank', 1280, 900);
  page.on('request', request => requests.push(request.url()));
  await page.goto(`${rig.site.relay.url}/overlay?show=${show.name}#key=${show.key}`);
  const text = (id: string) => page.locator(`#${id}`).textContent();
  await expect.poll(() => text('saved')).toContain('has been loaded');
  expect(new URL(page.url()).hash).toBe('');
  expect(await page.inputValue('#url')).toBe(overlayOf(show));
  await page.locator('[name=theme][value=light]').check({ force: true });
  expect(await page.inputValue('#url')).toBe(overlayOf(show, '?theme=light'));
  await page.locator('[name=style][value=bars]').check({ force: true });
  expect(new URL(await page.inputValue('#url')).searchParams.get('style')).toBe('bars');
  expect((await show.get()).json.look).toEqual({ style: 'donut' });

  await page.locator('#save').click();
  await expect.poll(() => text('saved')).toBe('Saved to the show.');
  expect(await page.inputValue('#url')).toBe(overlayOf(show));
  expect((await show.get()).json.look).toMatchObject({ theme: 'light' });
  expect((await show.get()).json.look.style ?? 'bars').toBe('bars');

  const file = { name: 'logo.png', mimeType: 'image/png', buffer: SIZES.wide };
  await page.locator('#logo-file').setInputFiles(file);
  await page.locator('#show-logo').waitFor();
  await page.frameLocator('#preview').locator('.logo').waitFor();
  await page.selectOption('#moment', 'tie');
  const rehearsed = page.frameLocator('#preview').locator('.panel', { hasText: 'Which song should close' });
  await rehearsed.locator('.logo').waitFor();
  expect(await page.inputValue('#url')).toBe(overlayOf(show));
  await page.selectOption('#moment', '');
  await page.locator('#remove-logo').click();
  await page.locator('#show-logo').waitFor({ state: 'hidden' });
  expect((await show.get()).json.logo).toBeNull();

  await page.locator('#logo-file').setInputFiles({ ...file, buffer: Buffer.from('<svg/>') });
  await expect.poll(() => text('saved')).toContain('isn’t a PNG');
  await page.locator('#show-key').fill('show_wrong');
  await page.locator('#save').click();
  await expect.poll(() => text('saved')).toContain('doesn’t work');
  expect(requests.filter(url => url.includes(show.key))).toEqual([]);
  // The browser's own reports of the two rejections.
  expect(rig.faults.splice(0)).toHaveLength(2);
});
