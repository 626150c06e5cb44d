import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import * as canvas from '@napi-rs/canvas';
import { drawStill, type ImageFile, openTypeSetter, type Still } from './draw-still.ts';
import { registerFonts } from './fonts.ts';
import { scalePhoto } from './scale-photo.ts';
import type { Photo } from './stills.ts';

/** A thread that draws, so that drawing delays no ballot. Fonts of other scripts come from the system. */

// Of this thread only, which is so on Linux alone: ballots go first.
if (process.platform === 'linux') setPriority(10);
registerFonts(canvas);
const type = openTypeSetter(canvas);

parentPort?.on('message', async (message: Still | Photo) => {
  try {
    const image = 'photo' in message ? await scalePhoto(message, canvas) : await draw(message);
    parentPort?.postMessage({ image });
  } catch (error) {
    parentPort?.postMessage({ error: `${error instanceof Error ? error.stack : error}` });
  }
});

async function draw(still: Still): Promise<Buffer> {
  const [logo, ground] = await Promise.all([decode(still.logo), decode(still.ground)]);
  return drawStill(still, canvas, type, { logo, ground });
}

/** An image that cannot be decoded is left out, as on the overlay. */
async function decode(image: ImageFile | undefined): Promise<canvas.Image | undefined> {
  return image && (await canvas.loadImage(image.bytes).catch(() => undefined));
}
