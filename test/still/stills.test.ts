import * as canvas from '@napi-rs/canvas';
import { expect, it, onTestFinished } from 'vitest';
import { readParameters } from '../../src/picture/parameters.ts';
import { drawStill, openTypeSetter, type Still } from '../../src/still/draw-still.ts';
import { registerFonts } from '../../src/still/fonts.ts';
import { Stills } from '../../src/still/stills.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';

const still: Still = {
  poll: knownResults([3, 1]),
  settings: readParameters(new URLSearchParams()).settings,
  width: 200,
  height: 200,
};

function thread(script: string): Stills {
  const stills = new Stills(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  onTestFinished(() => stills.close());
  return stills;
}

const reader = { address: '192.0.2.1', isGone: () => false };
const PORT = "import { parentPort } from 'node:worker_threads';";

it('draws a picture once for all who ask, and keeps it', async () => {
  const stills = thread(
    `${PORT} let n = 0; parentPort.on('message', () => parentPort.postMessage({ png: Uint8Array.of(n += 1) }));`,
  );
  const both = await Promise.all([stills.draw('a', still, reader), stills.draw('a', still, reader)]);
  expect(both).toEqual([Buffer.of(1), Buffer.of(1)]);
  expect(await stills.draw('a', still, reader)).toEqual(Buffer.of(1));
  expect(await stills.draw('b', still, reader)).toEqual(Buffer.of(2));
  expect([stills.has('a'), stills.has('c')]).toEqual([true, false]);
});

it('draws for each address in turn, and not for readers that are gone', async () => {
  const stills = thread(
    `${PORT} parentPort.on('message', ({ width }) => parentPort.postMessage({ png: Uint8Array.of(width) }));`,
  );
  const drawn: string[] = [];
  const draw = (key: string, by: Partial<typeof reader>) =>
    stills.draw(key, still, { ...reader, ...by }).then(
      () => drawn.push(key),
      () => drawn.push(`not ${key}`),
    );
  const many = ['m1', 'm2', 'm3', 'm4'].map(key => draw(key, {}));
  const others = ['o1', 'o2', 'm4'].map(key => draw(key, { address: '192.0.2.2' }));
  await Promise.all([...many, ...others, draw('gone', { address: '192.0.2.3', isGone: () => true })]);
  expect(drawn.join(' ')).toBe('m1 m2 o1 not gone m3 o2 m4 m4');
});

it('rejects what would wait too long', async () => {
  const stills = thread(`${PORT} parentPort.on('message', () => {});`);
  const waiting = Array.from({ length: 1 + 40 }, (_, at) => stills.draw(`${at}`, still, reader));
  for (const drawing of waiting) drawing.catch(() => {});
  const error = { code: 'picture_unavailable', status: 503, retryAfterSeconds: 2 };
  await expect(stills.draw('one more', still, reader)).rejects.toMatchObject(error);
  const other = { ...reader, address: '192.0.2.2' };
  stills.draw('of another address', still, other).catch(() => {});
  expect(stills.has('of another address')).toBe(true);
  stills.close();
});

it('rejects on a platform that cannot draw, and tries again at the next request', async () => {
  const stills = thread("import 'a-package-that-is-not-installed';");
  for (const key of ['a', 'b'])
    await expect(stills.draw(key, still, reader)).rejects.toMatchObject({ code: 'picture_unavailable' });
  expect(stills.has('a')).toBe(false);
});

it('starts a new thread after one that failed', async () => {
  const stills = thread(
    `${PORT} parentPort.on('message', ({ width }) => { if (width === 1) throw new Error('x'); parentPort.postMessage({ png: Uint8Array.of(9) }); });`,
  );
  await expect(stills.draw('a', { ...still, width: 1 }, reader)).rejects.toMatchObject({
    code: 'picture_unavailable',
  });
  expect(await stills.draw('b', still, reader)).toEqual(Buffer.of(9));
});

it('keeps a pile of marks, in a text from before there was a limit, in its row', async () => {
  registerFonts(canvas);
  const type = openTypeSetter(canvas);
  const [width, height] = [600, 315];
  const read = async (title: string) => {
    const png = await drawStill({ ...still, poll: { ...still.poll, title }, width, height }, canvas, type);
    const context = canvas.createCanvas(width, height).getContext('2d');
    context.drawImage(await canvas.loadImage(png), 0, 0);
    return context.getImageData(0, 0, width, height).data;
  };
  const [plain, piled] = [await read('Zalgo'), await read(`Zal${'\u0301\u0316'.repeat(99)}go`)];
  const rows = new Set(
    [...plain.keys()].filter(at => plain[at] !== piled[at]).map(at => Math.floor(at / (4 * width))),
  );
  expect(rows.size).toBeGreaterThan(10);
  expect(rows.size).toBeLessThan(height / 4);
});
