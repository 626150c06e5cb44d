import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { send } from '../support/api-request.ts';
import { pointShow } from '../support/point-show.ts';
import { readCodes } from '../support/read-code.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { browserRig } from './browser-rig.ts';

const VOTE_URL = 'https://vote.example.org';
const SHOW = 'friday-night';
const SIZES = { '720p': { width: 1280, height: 720 }, '1080p': { width: 1920, height: 1080 } } as const;
type Size = keyof typeof SIZES;

const rig = browserRig(() => startTestRelay({ voteUrl: VOTE_URL }));

async function openOverlay(relay: TestRelay, path: string, size: Size): Promise<Page> {
  const page = await rig.browser.newPage({ viewport: SIZES[size] });
  await page.goto(`${relay.url}/overlay/${path}`);
  await page.locator('[data-on=true] .address').waitFor({ state: 'attached' });
  return page;
}

/** Puts a frame of a video behind the overlay: noise, or a crowd of edges in the scale of the code itself. */
async function playVideo(page: Page, video: 'dark' | 'light' | 'busy'): Promise<void> {
  await page.evaluate(kind => {
    const canvas = document.createElement('canvas');
    const [width, height] = [innerWidth, innerHeight];
    Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d')!;
    const [base, range] = { dark: [0, 50], light: [205, 50], busy: [0, 255] }[kind] as [number, number];
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const shade = () => base + Math.round(range * random());
    const cell = kind === 'busy' ? 9 : 3;
    for (let y = 0; y < height; y += cell)
      for (let x = 0; x < width; x += cell) {
        const grey = shade();
        context.fillStyle = `rgb(${grey}, ${kind === 'busy' ? shade() : grey}, ${grey})`;
        context.fillRect(x, y, cell, cell);
      }
    document.documentElement.style.background = `url(${canvas.toDataURL()})`;
  }, video);
}

/** As a phone sees a screen from a sofa: half as large, and not quite sharp. */
async function fromAfar(page: Page, picture: Buffer): Promise<Buffer> {
  const base64 = await page.evaluate(async data => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: image.width / 2, height: image.height / 2 });
    const context = canvas.getContext('2d')!;
    context.imageSmoothingQuality = 'high';
    context.filter = 'blur(0.8px)';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/png').split(',')[1]!;
  }, picture.toString('base64'));
  return Buffer.from(base64, 'base64');
}

describe('the code on air', () => {
  it.each([
    ['dark', 'bars&qr=right'],
    ['light', 'code'],
    ['flat', 'code'],
    ['outline', 'bars&qr=right'],
  ])('can be scanned across a room over any video: theme %s, style %s', async (theme, style) => {
    const { id } = await rig.site.create();
    await pointShow(rig.site.engine, SHOW, id);
    const page = await openOverlay(rig.site, `show/${SHOW}?speed=0&theme=${theme}&style=${style}`, '720p');
    for (const video of ['dark', 'light', 'busy'] as const) {
      await playVideo(page, video);
      const seen = await fromAfar(page, await page.screenshot());
      expect([video, await readCodes(seen)]).toEqual([video, [`${VOTE_URL}/show/${SHOW}`]]);
    }
  });

  it.each(['qr=left', 'style=code', 'style=ticker&qr=right'])('has the address as text: %s', async query => {
    const { id } = await rig.site.create();
    const page = await openOverlay(rig.site, `${id}?speed=0&${query}`, '1080p');
    expect(await page.locator('.address').textContent()).toBe(`vote.example.org/${id}`);
    expect(await readCodes(await page.screenshot())).toEqual([`${VOTE_URL}/${id}`]);
  });

  it('has the join code below it, and beside the site in words: that of a poll, and that of a show', async () => {
    const { id, join_code } = await rig.site.create({ join_code: true });
    const show = await send(`${rig.site.url}/api/show`, 'POST', {
      show: { name: 'code-night', join_code: true },
    });
    await pointShow(rig.site.engine, 'code-night', id);
    const host = `show/code-night?style=host#key=${show.json.show_key}`;
    const words = (code: string) => `vote.example.org · ${code.slice(0, 3)}\u00a0${code.slice(3)}`;
    for (const [path, code, name] of [
      [`${id}?qr=right`, join_code!, 'address'],
      ['show/code-night?style=code', show.json.join_code, 'address'],
      [host, show.json.join_code, 'join'],
    ]) {
      const page = await rig.browser.newPage({ viewport: SIZES['720p'] });
      await page.goto(`${rig.site.url}/overlay/${path}`);
      await expect.poll(() => page.locator(`.${name}`).allTextContents()).toEqual([words(code)]);
    }
  });

  it('of a poll disappears when the poll closes; that of a show stays', async () => {
    const { id, admin_key } = await rig.site.create();
    await pointShow(rig.site.engine, SHOW, id);
    const pages = await Promise.all(
      [`${id}?speed=0&qr=right`, `${id}?speed=0&style=code`, `show/${SHOW}?speed=0&style=code`].map(path =>
        openOverlay(rig.site, path, '720p'),
      ),
    );
    const seen = () =>
      Promise.all(
        pages.map(async page => [
          await page.locator('.address').count(),
          (await readCodes(await page.screenshot())).length,
        ]),
      );
    const [shown, gone] = [
      [1, 1],
      [0, 0],
    ];
    expect(await seen()).toEqual([shown, shown, shown]);
    await send(`${rig.site.url}/api/poll/${id}`, 'PATCH', { poll: { status: 'closed' } }, admin_key);
    await expect.poll(seen).toEqual([gone, gone, shown]);
    await pointShow(rig.site.engine, SHOW, null);
    const message = pages[2]!;
    await expect.poll(() => message.title()).toBe('The show has nothing on air.');
    expect((await seen())[2]).toEqual(shown);
  });

  it('is reported as useless if the voting server is on localhost', async () => {
    const relay = await startTestRelay({ voteUrl: 'http://localhost:8081' });
    try {
      const { id } = await relay.create();
      const page = await openOverlay(relay, `${id}?qr=right`, '720p');
      await expect
        .poll(() => page.title())
        .toBe('Live. The QR code opens localhost:8081, which phones can’t reach. Set VOTE_PUBLIC_URL.');
    } finally {
      await relay.close();
    }
  });
});
