import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { knownResults } from '../overlay/poll-snapshots.ts';
import { draw, type Size } from '../picture/drawn.ts';
import { png } from '../support/images.ts';
import { until } from '../support/until.ts';
import { browserRig } from './browser-rig.ts';
import { drawScene, StagePages } from './stage-page.ts';

const SIZE: Size = [1280, 720];
const QUERY = 'style=bars&speed=0';
const GREEN = '0,200,0';
const COLOR = '#e4002b';
const OWN = '228,0,43';
const MOST_LOADING = 4;

const rig = browserRig(browser => StagePages.bundle(browser));

/** In the order of their answers. */
const FILES = ['good', 'missing', 'broken', 'bomb', 'large', 'lying', 'late'];
const poll = knownResults(FILES.map((_, at) => 90 - at));
const shown = {
  ...poll,
  poll_answers: poll.poll_answers.map((answer, at) => ({
    ...answer,
    color: COLOR,
    image: `/face/${FILES[at]}`,
  })),
};

function bodyOf(name: string): Buffer {
  const green = [0, 200, 0];
  if (name === 'broken') return Buffer.from('no image');
  // As wide and high as the relay takes; its pixels take 64 MB.
  if (name === 'large') return png(4_096, 4_096, green);
  if (name === 'lying') return Buffer.concat([png(8, 8).subarray(0, 40), Buffer.alloc(100)]);
  const image = png(60, 90, green);
  if (name === 'bomb') image.writeUInt32BE(50_000, 16);
  return image;
}

/** Colors in the middle of the boxes, by the names of the files. */
async function colorsOn(page: Page): Promise<Record<string, string>> {
  const image = await loadImage(await page.screenshot());
  const context = createCanvas(...SIZE).getContext('2d');
  context.drawImage(image, 0, 0);
  const { parts, unitPx } = draw(shown, QUERY, SIZE);
  const found = parts.flatMap(({ shape, at }) => {
    if (shape.kind !== 'face') return [];
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2].map(middle => Math.round(middle * unitPx));
    return [[shape.path!.slice('/face/'.length), context.getImageData(x!, y!, 1, 1).data.slice(0, 3).join()]];
  });
  return Object.fromEntries(found);
}

it('draws the pictures that come, and leaves the color of those that are missing, broken or too large', async () => {
  const page = await rig.site.open(...SIZE);
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(`${error}`));
  const asked: string[] = [];
  let release = () => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  let [loading, mostLoading] = [0, 0];
  const answer = async (route: Route) => {
    const name = new URL(route.request().url()).pathname.slice('/face/'.length);
    asked.push(name);
    loading += 1;
    mostLoading = Math.max(mostLoading, loading);
    if (name === 'late') await held;
    loading -= 1;
    if (name === 'missing') await route.fulfill({ status: 404, body: '{}' });
    else await route.fulfill({ body: bodyOf(name), contentType: 'image/png' });
  };
  await page.route('**/face/**', answer);
  await drawScene(page, QUERY, shown);
  const before = Object.fromEntries(FILES.map(name => [name, OWN]));
  const came = { ...before, good: GREEN, large: GREEN };
  await until(async () => (await colorsOn(page))['large'] === GREEN, 'the picture of 4096 pixels');
  await until(() => asked.length === FILES.length, 'a request for each picture');
  // Drawn again with new counts, nothing is loaded twice.
  await drawScene(page, QUERY, { ...shown, version: 2 });
  expect(await colorsOn(page)).toEqual(came);
  release();
  await until(async () => (await colorsOn(page))['late'] === GREEN, 'the late picture');
  expect(await colorsOn(page)).toEqual({ ...came, late: GREEN });
  expect(asked.toSorted()).toEqual(FILES.toSorted());
  expect(mostLoading).toBeLessThanOrEqual(MOST_LOADING);
  expect(faults).toEqual([]);
});
