import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import * as canvas from '@napi-rs/canvas';
import { drawStill, type ImageFile, openTypeSetter, type Still } from './draw-still.ts';
import { registerFonts } from './fonts.ts';

/** A thread that draws, so that drawing delays no ballot. Fonts of other scripts come from the system. */

// Of this thread only, which is so on Linux alone: ballots go first.
if (process.platform === 'linux') setPriority(10);
registerFonts(canvas);
const type = openTypeSetter(canvas);

parentPort?.on('message', async (still: Still) => {
  try {
    const [logo, ground] = await Promise.all([decode(still.logo), decode(still.ground)]);
    parentPort?.postMessage({ png: await drawStill(still, canvas, type, { logo, ground }) });
  } catch (error) {
    parentPort?.postMessage({ error: `${error instanceof Error ? error.stack : error}` });
  }
});

/** An image that cannot be decoded is left out, as on the overlay. */
async function decode(image: ImageFile | undefined): Promise<canvas.Image | undefined> {
  return image && (await canvas.loadImage(image.bytes).catch(() => undefined));
}
