import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { CODE } from '../picture/drawn.ts';
import { png } from '../support/images.ts';
import { launchChromium } from './chromium.ts';
import { differingRows } from './pixels.ts';
import { drawScene, StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';

// The pages of other tests share a GPU process, which ends here.
let browser: Browser;
let site: StagePages;

beforeAll(async () => {
  browser = await launchChromium();
  site = await StagePages.bundle(browser);
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

const FACES = new Map([
  ['/face/1', png(40, 60, [200, 40, 40])],
  ['/face/2', png(60, 40, [40, 40, 200])],
]);
const GROUND = `data:image/png;base64,${png(64, 36, [20, 90, 60]).toString('base64')}`;

/** In a page: how often its canvas was lost, how many pictures were decoded, and which canvases it made. */
const WATCH = `
  var lost = 0, decoded = 0, canvases = [];
  const decode = createImageBitmap;
  createImageBitmap = async (...asked) => {
    const bitmap = await decode(...asked);
    decoded += 1;
    return bitmap;
  };
  const create = document.createElement.bind(document);
  document.createElement = (name, ...more) => {
    const element = create(name, ...more);
    if (name === 'canvas') canvases.push(element);
    return element;
  };`;

async function openStage(query: string, poll: PollSnapshot): Promise<Page> {
  const page = await site.open(640, 360);
  await page.route('**/face/*', async route => {
    const body = FACES.get(new URL(route.request().url()).pathname)!;
    await route.fulfill({ body, contentType: 'image/png' });
  });
  await page.addScriptTag({ content: WATCH });
  await page.evaluate(code => (globalThis as unknown as StageWindow).showCode(code), CODE);
  await drawScene(page, query, poll);
  await page.evaluate(ground => (globalThis as unknown as StageWindow).showGround(ground), GROUND);
  await page.evaluate(
    `document.querySelector('canvas').addEventListener('contextlost', () => { lost += 1 })`,
  );
  const faces = 'poll_answers' in poll ? poll.poll_answers.filter(({ image }) => image).length : 0;
  await page.waitForFunction(`decoded >= ${faces}`);
  return page;
}

async function crashGpu(): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  // Without a reply, because the process that could give one is gone.
  void (session.send as (method: string) => Promise<unknown>)('Browser.crashGpuProcess').catch(() => {});
}

const closed = knownResults([1204, 877, 312], { status: 'closed' });
const open = knownResults([5, 3]);
const withFaces = {
  ...open,
  poll_answers: open.poll_answers.map((answer, at) => ({ ...answer, image: `/face/${at + 1}` })),
};
const stepped = knownHidden({ status: 'closed', revealed_from: 2, total_votes: 8, total_voters: 8 });
const [first, second] = stepped.poll_answers;
const pictures: Readonly<Record<string, readonly [query: string, poll: PollSnapshot]>> = {
  upcoming: ['', knownResults([0, 0], { status: 'upcoming' })],
  open: ['', open],
  'waiting, beside its code': ['qr=right', knownResults([0, 0])],
  hidden: ['', knownHidden()],
  'a step of a reveal': ['', { ...stepped, poll_answers: [first!, { ...second!, votes: 3, place: 2 }] }],
  closed: ['', closed],
  'closed and light': ['theme=light', closed],
  'on an image': ['scene=full', closed],
  'with pictures': ['', withFaces],
  columns: ['style=columns', closed],
  donut: ['style=donut', closed],
  versus: ['style=versus', closed],
  ticker: ['style=ticker', closed],
  'big number': ['style=big-number', closed],
  'a code alone': ['style=code', open],
  'a presenter without a poll': ['style=host', knownHidden({ id: '', poll_answers: [], status: 'upcoming' })],
};

it('is the same picture in every state after the GPU process died', async () => {
  const pages = await Promise.all(
    Object.entries(pictures).map(async ([state, [query, poll]]) => {
      const page = await openStage(`speed=0&${query}`, poll);
      return { state, page, before: await page.screenshot() };
    }),
  );
  expect(new Set(pages.map(({ before }) => before.toString('base64'))).size).toBe(pages.length);
  await crashGpu();
  for (const { state, page, before } of pages) {
    await page.waitForFunction('lost > 0');
    await expect.poll(async () => (await page.screenshot()).equals(before), { message: state }).toBe(true);
  }
});

it('is the same picture though its canvases report their loss after it is drawn again', async () => {
  for (const [query, poll] of [
    ['speed=0', withFaces],
    ['speed=0&scene=full', closed],
  ] as const) {
    const page = await openStage(query, poll);
    const before = await page.screenshot();
    await page.evaluate(`
      const kept = canvases.filter(canvas => !canvas.isConnected);
      for (const canvas of kept) canvas.width = canvas.width;
      document.querySelector('canvas').dispatchEvent(new Event('contextrestored'));
      for (const canvas of kept) canvas.dispatchEvent(new Event('contextlost'));
    `);
    await expect.poll(async () => (await page.screenshot()).equals(before), { message: query }).toBe(true);
  }
});

it('ends a motion in the same picture, and enters the air with the same one', async () => {
  const moving = await openStage('speed=0.2', open);
  const off = await openStage('speed=0&scene=full', withFaces);
  const panel = await openStage('speed=0', withFaces);
  const [full, face] = [await off.screenshot(), await panel.screenshot()];
  await off.evaluate('stop()');
  await panel.evaluate('stop()');
  await drawScene(moving, 'speed=0.2', { ...open, ...closed, id: 'p2' });
  await crashGpu();
  await moving.waitForFunction('lost > 0');
  await off.evaluate('play()');
  await panel.evaluate('play()');
  await expect.poll(async () => (await off.screenshot()).equals(full)).toBe(true);
  await expect.poll(async () => (await panel.screenshot()).equals(face)).toBe(true);
  const still = await openStage('speed=0', { ...open, ...closed, id: 'p2' });
  const end = await still.screenshot();
  await expect.poll(async () => differingRows(browser, await moving.screenshot(), end)).toEqual([]);
});

it('has the pixels of another display, and is up to date when it is shown again', async () => {
  const deadline = new Date(Date.now() + 3_600_000).toISOString();
  const page = await openStage('', { ...open, timestamp: Math.floor(Date.now() / 1000), deadline });
  const pixels = () =>
    page.evaluate(() => {
      const canvas = document.querySelector('canvas')!;
      return canvas.width / canvas.clientWidth;
    });
  expect(await pixels()).toBe(1);
  const session = await page.context().newCDPSession(page);
  const metrics = { width: 640, height: 360, mobile: false };
  for (const deviceScaleFactor of [2, 1.5]) {
    await session.send('Emulation.setDeviceMetricsOverride', { ...metrics, deviceScaleFactor });
    // An emulated display does not evaluate the queries of a page. Another color scheme does.
    await page.emulateMedia({ colorScheme: deviceScaleFactor === 2 ? 'dark' : null });
    await expect.poll(pixels).toBeCloseTo(deviceScaleFactor, 1);
  }
  // Time that passed while timers waited.
  await page.evaluate(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + 1_800_000;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  expect(await page.locator('.words .clock').textContent()).toMatch(/^Closes in (29|30):/);
});
