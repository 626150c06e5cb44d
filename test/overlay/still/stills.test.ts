import { expect, it, onTestFinished } from 'vitest';
import { readParameters } from '../../../src/overlay/parameter/parameters.ts';
import type { Still } from '../../../src/overlay/still/draw-still.ts';
import { Stills } from '../../../src/overlay/still/stills.ts';
import { knownResults } from '../poll-snapshots.ts';

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

const PORT = "import { parentPort } from 'node:worker_threads';";

it('draws a picture once for all who ask, and keeps it', async () => {
  const stills = thread(
    `${PORT} let n = 0; parentPort.on('message', () => parentPort.postMessage({ png: Uint8Array.of(n += 1) }));`,
  );
  const both = await Promise.all([stills.draw('a', still), stills.draw('a', still)]);
  expect(both).toEqual([Buffer.of(1), Buffer.of(1)]);
  expect(await stills.draw('a', still)).toEqual(Buffer.of(1));
  expect(await stills.draw('b', still)).toEqual(Buffer.of(2));
  expect([stills.has('a'), stills.has('c')]).toEqual([true, false]);
});

it('rejects what would wait too long', async () => {
  const stills = thread(`${PORT} parentPort.on('message', () => {});`);
  const waiting = Array.from({ length: 40 }, (_, at) => stills.draw(`${at}`, still));
  for (const drawing of waiting) drawing.catch(() => {});
  const error = { code: 'picture_unavailable', status: 503, retryAfterSeconds: 2 };
  await expect(stills.draw('one more', still)).rejects.toMatchObject(error);
  stills.close();
});

it('rejects on a platform that cannot draw, and tries again at the next request', async () => {
  const stills = thread("import 'a-package-that-is-not-installed';");
  for (const key of ['a', 'b'])
    await expect(stills.draw(key, still)).rejects.toMatchObject({ code: 'picture_unavailable' });
  expect(stills.has('a')).toBe(false);
});

it('starts a new thread after one that failed', async () => {
  const stills = thread(
    `${PORT} parentPort.on('message', ({ width }) => { if (width === 1) throw new Error('x'); parentPort.postMessage({ png: Uint8Array.of(9) }); });`,
  );
  await expect(stills.draw('a', { ...still, width: 1 })).rejects.toMatchObject({
    code: 'picture_unavailable',
  });
  expect(await stills.draw('b', still)).toEqual(Buffer.of(9));
});
