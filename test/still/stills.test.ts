import * as canvas from '@napi-rs/canvas';
import { expect, it, onTestFinished } from 'vitest';
import { readParameters } from '../../src/picture/parameters.ts';
import { drawStill, openTypeSetter, type Still } from '../../src/still/draw-still.ts';
import { registerFonts } from '../../src/still/fonts.ts';
import { Images } from '../../src/still/images.ts';
import { Stills } from '../../src/still/stills.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';

const still: Still = {
  poll: knownResults([3, 1]),
  settings: readParameters(new URLSearchParams()).settings,
  width: 200,
  height: 200,
};

function thread(script: string, clock = () => 0): Stills {
  const stills = new Stills(new URL(`data:text/javascript,${encodeURIComponent(script)}`), clock);
  onTestFinished(() => stills.close());
  return stills;
}

const load = async () => still;
const reader = { address: '192.0.2.1', isGone: () => false };
const PORT = "import { parentPort } from 'node:worker_threads';";

/** Draws pictures that take so many milliseconds each. */
function costed() {
  let nowMs = 0;
  const stills = thread(
    `${PORT} parentPort.on('message', () => parentPort.postMessage({ image: Uint8Array.of(1) }));`,
    () => nowMs,
  );
  const drawn: string[] = [];
  const draw = (key: string, last: number, costMs = 0) => {
    const drawing = async () => {
      nowMs += costMs;
      drawn.push(key);
      return still;
    };
    return stills.draw(key, drawing, { ...reader, address: `192.0.2.${last}` });
  };
  const rest = (ms: number) => {
    nowMs += ms;
  };
  return { draw, drawn, rest };
}

it('draws a picture once for all who ask, and keeps it', async () => {
  const stills = thread(
    `${PORT} let n = 0; parentPort.on('message', () => parentPort.postMessage({ image: Uint8Array.of(n += 1) }));`,
  );
  const both = await Promise.all([stills.draw('a', load, reader), stills.draw('a', load, reader)]);
  expect(both).toEqual([Buffer.of(1), Buffer.of(1)]);
  expect(await stills.draw('a', load, reader)).toEqual(Buffer.of(1));
  expect(await stills.draw('b', load, reader)).toEqual(Buffer.of(2));
  expect([stills.has('a'), stills.has('c')]).toEqual([true, false]);
});

it('draws for each address in turn, and not for readers that are gone', async () => {
  const stills = thread(
    `${PORT} parentPort.on('message', ({ width }) => parentPort.postMessage({ image: Uint8Array.of(width) }));`,
  );
  const drawn: string[] = [];
  const draw = (key: string, by: Partial<typeof reader>) =>
    stills.draw(key, load, { ...reader, ...by }).then(
      () => drawn.push(key),
      () => drawn.push(`not ${key}`),
    );
  const many = ['m1', 'm2', 'm3', 'm4'].map(key => draw(key, {}));
  const others = ['o1', 'o2', 'm4'].map(key => draw(key, { address: '192.0.2.2' }));
  await Promise.all([...many, ...others, draw('gone', { address: '192.0.2.3', isGone: () => true })]);
  expect(drawn.join(' ')).toBe('m1 m2 o1 not gone m3 o2 m4 m4');
});

it('draws for others until they have used as much time as the address of a dear picture', async () => {
  const { draw, drawn } = costed();
  await Promise.all([
    ...['dear 1', 'dear 2', 'dear 3'].map(key => draw(key, 1, 7_000)),
    ...['a', 'b', 'c'].map(key => draw(key, 2, 100)),
  ]);
  expect(drawn).toEqual(['dear 1', 'a', 'b', 'c', 'dear 2', 'dear 3']);
});

it.each([
  { restMs: 6_000, order: ['dear', 'front', 'cheap', 'dear again'] },
  { restMs: 8_000, order: ['dear', 'front', 'dear again', 'cheap'] },
])('remembers 7 s of an address whose line was empty for less: $restMs ms', async ({ restMs, order }) => {
  const { draw, drawn, rest } = costed();
  await draw('dear', 1, 7_000);
  rest(restMs);
  // The one that is drawn first waits in no line.
  await Promise.all([draw('front', 3), draw('dear again', 1), draw('cheap', 2)]);
  expect(drawn).toEqual(order);
});

it('charges all addresses that get a picture, not only the first', async () => {
  const { draw, drawn } = costed();
  await Promise.all([draw('shared', 1, 7_000), draw('shared', 2), draw('of 2', 2), draw('of 3', 3)]);
  expect(drawn).toEqual(['shared', 'of 3', 'of 2']);
});

it('gives others a turn before it goes on with a picture of many images', async () => {
  const stills = thread(
    `${PORT} parentPort.on('message', ({ width, patienceMs }) =>
      parentPort.postMessage({ image: width === 1 && patienceMs < 1000 ? undefined : Uint8Array.of(1) }));`,
  );
  const drawn: string[] = [];
  const draw = (key: string, last: number, width: number) => {
    const drawing = async () => {
      drawn.push(key);
      return { ...still, width };
    };
    return stills.draw(key, drawing, { ...reader, address: `192.0.2.${last}` });
  };
  const all = [draw('large', 1, 1), draw('a', 2, 2), draw('b', 2, 2)];
  expect(await Promise.all(all)).toEqual(all.map(() => Buffer.of(1)));
  expect(drawn).toEqual(['large', 'a', 'large', 'b', 'large']);
});

it('rejects what would wait too long', async () => {
  const stills = thread(`${PORT} parentPort.on('message', () => {});`);
  const waiting = Array.from({ length: 1 + 40 }, (_, at) => stills.draw(`${at}`, load, reader));
  for (const drawing of waiting) drawing.catch(() => {});
  const error = { code: 'picture_unavailable', status: 503, retryAfterSeconds: 2 };
  await expect(stills.draw('one more', load, reader)).rejects.toMatchObject(error);
  const other = { ...reader, address: '192.0.2.2' };
  stills.draw('of another address', load, other).catch(() => {});
  expect(stills.has('of another address')).toBe(true);
  stills.close();
});

it('rejects on a platform that cannot draw, and tries again at the next request', async () => {
  const stills = thread("import 'a-package-that-is-not-installed';");
  for (const key of ['a', 'b'])
    await expect(stills.draw(key, load, reader)).rejects.toMatchObject({ code: 'picture_unavailable' });
  expect(stills.has('a')).toBe(false);
});

it('loads images only when a drawing begins, and keeps none of a load that failed', async () => {
  const stills = thread(
    `${PORT} parentPort.on('message', () => parentPort.postMessage({ image: Uint8Array.of(1) }));`,
  );
  let loads = 0;
  const counted = async () => {
    loads += 1;
    if (loads === 1) throw new Error('the engine is unavailable');
    return still;
  };
  await expect(stills.draw('a', counted, reader)).rejects.toThrow('the engine is unavailable');
  for (const _ of [1, 2, 3]) expect(await stills.draw('a', counted, reader)).toEqual(Buffer.of(1));
  expect(loads).toBe(2);
});

it('keeps no picture that lacks an image of the store', async () => {
  const stills = thread(
    `${PORT} let n = 0; parentPort.on('message', () => parentPort.postMessage({ image: Uint8Array.of(n += 1) }));`,
  );
  const lacking = async () => ({ ...still, lacksImages: true });
  expect(await stills.draw('a', lacking, reader)).toEqual(Buffer.of(1));
  expect(stills.has('a')).toBe(false);
  expect(await stills.draw('a', load, reader)).toEqual(Buffer.of(2));
  expect(stills.has('a')).toBe(true);
});

it('starts a new thread after one that failed', async () => {
  const stills = thread(
    `${PORT} parentPort.on('message', ({ width }) => { if (width === 1) throw new Error('x'); parentPort.postMessage({ image: Uint8Array.of(9) }); });`,
  );
  await expect(stills.draw('a', async () => ({ ...still, width: 1 }), reader)).rejects.toMatchObject({
    code: 'picture_unavailable',
  });
  expect(await stills.draw('b', load, reader)).toEqual(Buffer.of(9));
});

it('keeps a pile of marks, in a text from before there was a limit, in its row', async () => {
  registerFonts(canvas);
  const type = openTypeSetter(canvas);
  const [width, height] = [600, 315];
  const read = async (title: string) => {
    const png = (await drawStill(
      { ...still, poll: { ...still.poll, title }, width, height },
      canvas,
      type,
      new Images(canvas),
    ))!;
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
