import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import * as canvas from '@napi-rs/canvas';
import { drawStill, openTypeSetter, type Still } from './draw-still.ts';
import { registerFonts } from './fonts.ts';
import { Images } from './images.ts';
import { scalePhoto } from './scale-photo.ts';
import type { Patience, Photo } from './stills.ts';

/** A thread that draws, so that drawing delays no ballot. Fonts of other scripts come from the system. */

// Of this thread only, which is so on Linux alone: ballots go first.
if (process.platform === 'linux') setPriority(10);
registerFonts(canvas);
const type = openTypeSetter(canvas);
const images = new Images(canvas);

parentPort?.on('message', async (message: (Still | Photo) & Patience) => {
  const endMs = performance.now() + message.patienceMs;
  try {
    const image =
      'photo' in message
        ? await scalePhoto(message, canvas)
        : await drawStill(message, canvas, type, images, endMs);
    parentPort?.postMessage({ image });
  } catch (error) {
    parentPort?.postMessage({ error: `${error instanceof Error ? error.stack : error}` });
  }
});
