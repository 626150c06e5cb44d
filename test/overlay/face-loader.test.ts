import { expect, it, vi } from 'vitest';
import { FaceLoader } from '../../src/overlay/browser/face-loader.ts';
import { png } from '../support/images.ts';
import { until } from '../support/until.ts';

const SMALL = [40, 40] as const;
const PORTRAIT = [120, 30] as const;

it('makes a picture that is drawn in two sizes once for both', async () => {
  const decoded: number[] = [];
  vi.stubGlobal('fetch', async () => new Response(new Uint8Array(png(300, 300))));
  vi.stubGlobal('createImageBitmap', async (_: Blob, { resizeWidth }: { resizeWidth: number }) => {
    decoded.push(resizeWidth);
    return { width: resizeWidth, height: resizeWidth, close: () => {} };
  });
  const context = { fillRect: () => {}, drawImage: () => {} };
  const canvas = { addEventListener: () => {}, getContext: () => context };
  vi.stubGlobal('document', { createElement: () => ({ ...canvas }) });
  const faces = new FaceLoader('https://relay.example');
  const draw = () =>
    [SMALL, PORTRAIT].map(([width, height]) => faces.find('/face/1', width, height, '#cc2200'));
  let changes = 0;
  faces.onChange = () => {
    changes += 1;
    // A change is drawn, and asks for all sizes again. Without an end, it would never rest.
    if (changes < 20) draw();
  };
  draw();
  await until(() => changes > 0, 'the picture');
  // What a change has asked for is made within some turns of the event loop.
  for (let turn = 0; turn < 50; turn += 1) await new Promise(done => setImmediate(done));
  expect([changes, decoded]).toEqual([1, [120]]);
  const [small, portrait] = draw();
  expect(small).toBe(portrait);
  expect(small).toMatchObject({ width: 120, height: 120 });
  faces.close();
});
