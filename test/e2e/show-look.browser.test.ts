import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { mix, toRgb } from '../../src/picture/color.ts';
import { groundOf, themes } from '../../src/picture/themes.ts';
import { ask, send } from '../support/api-request.ts';
import { png } from '../support/images.ts';
import type { TestShow } from '../support/test-show.ts';
import { findViolations } from './axe.ts';
import { deskRig } from './desk/desk-rig.ts';

/** The look of a show on every surface, over a real relay. */

const rig = deskRig();
afterEach(() => {
  expect(rig.faults.splice(0)).toEqual([]);
});

const LOGOS = { wide: png(400, 100), square: png(200, 200) };
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

/** An overlay on which a logo is drawn. */
const withLogo = (style: string, theme: string) =>
  `[data-style=${style}][data-theme=${theme}][data-logo*="/logo/"]`;

const accentOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim());

it('reaches overlay, desk and voting page without a reload, and leaves a choice as it is', async () => {
  const { show, id } = await onAir();
  const overlay = await rig.open(overlayOf(show));
  const own = await rig.open(overlayOf(show, '?style=columns'));
  const desk = await rig.desk(show);
  const phone = await rig.open(`${rig.site.url}/${id}?show=${show.name}`, 390);
  for (const page of [overlay, own]) await page.locator('[data-on=true]').waitFor();
  await phone.getByLabel('Volare').check();
  const pages = [overlay, own, desk, phone];
  for (const page of pages) await page.evaluate(() => Object.assign(window, { isSamePage: true }));

  await show.patch({ look: { style: 'donut', theme: 'light', accent: '#0a7d3b' } });
  await putLogo(show, LOGOS.wide);
  await overlay.locator(withLogo('donut', 'light')).waitFor();
  await own.locator(withLogo('columns', 'light')).waitFor();
  for (const place of ['air', 'next'])
    await desk.frameLocator(`[data-picture=${place}] iframe`).locator(withLogo('donut', 'light')).waitFor();
  await desk
    .frameLocator('[data-picture=next] iframe')
    .locator('.title', { hasText: 'The next question' })
    .waitFor({ state: 'attached' });
  await expect.poll(() => accentOf(phone)).toBe('#0a7d3b');
  await phone.locator('.show-logo').waitFor();
  expect(await phone.getByLabel('Volare').isChecked()).toBe(true);

  await show.patch({ look: null });
  await overlay.locator(withLogo('bars', 'dark')).waitFor();
  await expect.poll(() => accentOf(phone)).not.toBe('#0a7d3b');
  for (const page of pages) expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  expect(await overlay.locator('.tallycast').count()).toBe(1);
});

it('shows nothing that is hidden, and no overlay that is off', async () => {
  const { show, id } = await onAir({ results_visibility: 'hidden' });
  await rig.site.relay.cast(id);
  const overlay = await rig.open(overlayOf(show));
  const off = await rig.open(overlayOf(show, '?hide=1'));
  await overlay.locator('.row').first().waitFor({ state: 'attached' });
  const seen: string[] = [];
  await off.exposeFunction('report', (text: string) => seen.push(text));
  await show.patch({ look: { style: 'donut' } });
  await overlay.locator('[data-style=donut] .row').first().waitFor({ state: 'attached' });
  expect(await overlay.locator('.count, .percent, .total').count()).toBe(0);

  await send(`${rig.site.relay.url}/api/poll/${id}`, 'PATCH', { poll: { status: 'closed' } }, show.key);
  await off.locator('[data-on=false] canvas[width="0"]').waitFor({ state: 'attached' });
  await off.evaluate(() => {
    const look = () => {
      if ([...document.querySelectorAll('canvas')].some(({ width }) => width > 0))
        (window as unknown as { report(text: string): void }).report('visible');
      requestAnimationFrame(look);
    };
    look();
  });
  await show.patch({ look: { style: 'columns', theme: 'light' } });
  await off.locator('[data-style=columns][data-on=false]').waitFor({ state: 'attached' });
  const loaded = off.waitForResponse('**/logo/**');
  await putLogo(show, LOGOS.square);
  await (await loaded).finished();
  await off.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(seen).toEqual([]);
});

it('leaves out a logo that is turned off or cannot be loaded', async () => {
  const { show } = await onAir();
  await putLogo(show, LOGOS.square);
  const without = await rig.open(overlayOf(show, '?logo=0'));
  await without.locator('[data-on=true]').waitFor();
  const context = await rig.browser.newContext();
  const failing = await context.newPage();
  await failing.route('**/logo/**', route => route.abort());
  const failed = failing.waitForEvent('requestfailed');
  await failing.goto(overlayOf(show));
  await failed;
  await failing.locator('[data-on=true]').waitFor();
  for (const page of [without, failing]) expect(await page.locator('[data-logo=""]').count()).toBe(1);
  await failing.unroute('**/logo/**');
  await show.press('next');
  await failing.locator(withLogo('bars', 'dark')).waitFor();
});

it('has an image behind full pictures, veiled until texts are legible', async () => {
  const { show } = await onAir();
  const overlay = await rig.open(overlayOf(show, '?scene=full'));
  const panel = await rig.open(overlayOf(show));
  const cornerOf = () =>
    overlay.evaluate(() => [
      ...document.querySelector('canvas')!.getContext('2d')!.getImageData(3, 3, 1, 1).data.slice(0, 3),
    ]);
  const { color, veil, veilAlpha } = groundOf(themes.dark, null);
  const near = (corner: number[], wanted: readonly number[]) =>
    Math.max(...corner.map((part, at) => Math.abs(part - wanted[at]!))) <= 2;
  await expect.poll(async () => near(await cornerOf(), toRgb(color))).toBe(true);

  const pink = [240, 60, 200];
  const image = { method: 'PUT', body: new Uint8Array(png(160, 90, pink)) };
  const address = `${rig.site.relay.url}/api/show/${show.name}/ground`;
  const headers = { 'x-api-key': show.key };
  expect((await ask(address, { ...image, headers })).status).toBe(200);
  await overlay.locator('[data-ground*="/ground/"]').waitFor();
  await expect.poll(async () => near(await cornerOf(), mix(pink, toRgb(veil), veilAlpha))).toBe(true);
  expect(await panel.locator('[data-ground=""]').count()).toBe(1);

  await ask(address, { method: 'DELETE', headers });
  await overlay.locator('[data-ground=""]').waitFor();
  await expect.poll(async () => near(await cornerOf(), toRgb(color))).toBe(true);
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

  const file = { name: 'logo.png', mimeType: 'image/png', buffer: LOGOS.wide };
  await page.locator('#logo-file').setInputFiles(file);
  await page.locator('#show-logo').waitFor();
  await page.frameLocator('#preview').locator('[data-logo*="/logo/"]').waitFor();
  await page.selectOption('#moment', 'tie');
  await page
    .frameLocator('#preview')
    .locator('[data-logo*="/logo/"]', { hasText: 'Which song should close' })
    .waitFor();
  expect(await page.inputValue('#url')).toBe(overlayOf(show));
  await page.selectOption('#moment', '');
  await page.locator('#remove-logo').click();
  await page.locator('#show-logo').waitFor({ state: 'hidden' });
  expect((await show.get()).json.logo).toBeNull();

  await page.locator('#ground-file').setInputFiles({ ...file, name: 'ground.png' });
  await page.locator('#show-ground').waitFor();
  expect((await show.get()).json.ground).toContain('/ground/');
  await page.locator('#remove-ground').click();
  await page.locator('#show-ground').waitFor({ state: 'hidden' });

  await page.locator('#logo-file').setInputFiles({ ...file, buffer: Buffer.from('<svg/>') });
  await expect.poll(() => text('saved')).toContain('isn’t a PNG');
  await page.locator('#show-key').fill('show_wrong');
  await page.locator('#save').click();
  await expect.poll(() => text('saved')).toContain('doesn’t work');
  expect(requests.filter(url => url.includes(show.key))).toEqual([]);
  // The browser's own reports of the two rejections.
  expect(rig.faults.splice(0)).toHaveLength(2);
});

/** Each style and title that an overlay had together, in order. */
function recordLooks(overlay: Page): Promise<void> {
  return overlay.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const note = () => {
      const stage = document.querySelector<HTMLElement>('.tallycast');
      const now = `${stage?.dataset['style']} ${stage?.querySelector('.title')?.textContent ?? ''}`;
      if (seen.at(-1) !== now) seen.push(now);
    };
    note();
    const options = { attributes: true, childList: true, subtree: true };
    new MutationObserver(note).observe(document.body, options);
  });
}

const looksSeen = (overlay: Page) => overlay.evaluate(() => (window as unknown as { seen: string[] }).seen);

it('of a poll comes with its take, and what leaves keeps its own', async () => {
  const { show, id } = await onAir({ title: 'First' });
  const [, second] = (await show.get()).json.rundown;
  await show.patch({ looks: { [id]: { style: 'columns' }, [second]: { style: 'versus', scene: 'full' } } });
  const overlay = await rig.open(overlayOf(show));
  const own = await rig.open(overlayOf(show, '?style=donut'));
  await overlay.locator('[data-style=columns]').waitFor();
  await own.locator('[data-style=donut]').waitFor();
  await recordLooks(overlay);
  await show.press('next');
  await overlay.locator('[data-style=versus]').waitFor();
  await show.press('previous');
  await overlay.locator('[data-style=columns]').waitFor();
  await show.press('clear');
  await overlay.locator('[data-on=false]').waitFor({ state: 'attached' });
  await show.press('next');
  await overlay.locator('[data-style=versus][data-on=true]').waitFor();
  expect((await looksSeen(overlay)).filter(text => /question|First/.test(text))).toEqual([
    'columns First',
    'versus The next question',
    'columns First',
    'versus The next question',
  ]);
  expect(await own.locator('[data-style=donut]').count()).toBe(1);
  // On air, the picture changes at once.
  await show.patch({ looks: { [second]: { style: 'donut' } } });
  await overlay.locator('[data-style=donut]').waitFor();
  // Removed from the rundown, the poll keeps its look until it leaves.
  await show.patch({ rundown: [id], confirm: true });
  await show.patch({ on_air: id });
  await overlay.locator('[data-style=columns]').waitFor();
  const seen = await looksSeen(overlay);
  expect(seen.filter(text => text.includes('The next question')).at(-1)).toBe('donut The next question');
});

it('of a poll is chosen at the desk, in both pictures, by two desks, and taken back', async () => {
  const { show } = await onAir({ title: 'First' });
  const [first, second] = (await show.get()).json.rundown;
  const desks = [await rig.desk(show), await rig.desk(show)];
  for (const desk of desks) await desk.locator(`[data-poll="${second}"] .choose`).click();
  await desks[0]!.getByLabel('Style: The next question').selectOption({ label: 'Versus' });
  await desks[1]!.getByLabel('Area: The next question').selectOption({ label: 'Full screen' });
  await expect
    .poll(async () => (await show.get()).json.looks)
    .toEqual({ [second]: { style: 'versus', scene: 'full' } });
  for (const desk of desks) {
    for (const place of ['next', 'chosen'])
      await desk.frameLocator(`[data-picture=${place}] iframe`).locator('[data-style=versus]').waitFor();
    await desk.frameLocator('[data-picture=air] iframe').locator('[data-style=bars]').waitFor();
    await expect.poll(() => desk.getByLabel('Style: The next question').inputValue()).toBe('versus');
    await expect.poll(() => desk.getByLabel('Area: The next question').inputValue()).toBe('full');
  }
  const [desk] = desks;
  expect(await findViolations(desk!)).toEqual([]);
  // Styles of the manage page, which has the same fields, leave the desk alone.
  const edit = (await desk!.locator('[data-edit]').boundingBox())!;
  expect(edit.y).toBeGreaterThan((await desk!.locator('[data-drawer]').boundingBox())!.y);
  await show.patch({ on_air: second });
  await desk!.frameLocator('[data-picture=air] iframe').locator('[data-style=versus]').waitFor();
  await show.patch({ on_air: first });
  await desk!.frameLocator('[data-picture=air] iframe').locator('[data-style=bars]').waitFor();
  await desk!.getByLabel('Style: The next question').selectOption({ label: 'As the show' });
  await expect.poll(async () => (await show.get()).json.looks).toEqual({ [second]: { scene: 'full' } });
  await desk!.keyboard.press('Escape');
  await desk!.locator('body').press('z');
  await expect
    .poll(async () => (await show.get()).json.looks)
    .toEqual({ [second]: { style: 'versus', scene: 'full' } });
});

it('has a logo that is seen on a light and on a dark page, at the start of each direction', async () => {
  const { show, id } = await onAir();
  const logo = createCanvas(400, 100);
  for (const [colorScheme, color, locale] of [
    ['light', '#ffffff', 'en-US'],
    ['dark', '#000000', 'en-US'],
    ['light', '#ffffff', 'ar'],
  ] as const) {
    const context = logo.getContext('2d');
    context.fillStyle = color;
    context.fillRect(150, 40, 100, 20);
    await putLogo(show, logo.toBuffer('image/png'));
    const page = await (await rig.browser.newContext({ colorScheme, locale })).newPage();
    await page.goto(`${rig.site.url}/${id}?show=${show.name}`);
    await page.locator('.show-logo').evaluate((image: HTMLImageElement) => image.decode());
    const box = (await page.locator('.show-logo').boundingBox())!;
    const [main] = [(await page.locator('main').boundingBox())!];
    const start = locale === 'ar' ? main.x + main.width - box.x - box.width : box.x - main.x;
    expect(Math.abs(start)).toBeLessThan(1);
    const middle = { x: box.x, y: box.y, width: box.width, height: box.height };
    const pixels = await loadImage(await page.screenshot({ clip: middle }));
    const drawn = createCanvas(pixels.width, pixels.height).getContext('2d');
    drawn.drawImage(pixels, 0, 0);
    const { data } = drawn.getImageData(0, 0, pixels.width, pixels.height);
    const ground = data[0]!;
    const differing = [...data].filter((value, at) => at % 4 === 0 && Math.abs(value - ground) > 40);
    expect(differing.length).toBeGreaterThan(50);
  }
});
