import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import * as canvas from '@napi-rs/canvas';
import { drawStill, type Still } from './draw-still.ts';
import { registerFonts } from './fonts.ts';

/** A thread that draws, so that drawing delays no ballot. Fonts of other scripts come from the system. */

// Of this thread only, which is so on Linux alone: ballots go first.
if (process.platform === 'linux') setPriority(10);
registerFonts(canvas);

parentPort?.on('message', async (still: Still) => {
  try {
    // A logo that cannot be decoded is left out, as on the overlay.
    const logo = still.logo && (await canvas.loadImage(still.logo.bytes).catch(() => undefined));
    parentPort?.postMessage({ png: drawStill(still, canvas, logo) });
  } catch (error) {
    parentPort?.postMessage({ error: `${error instanceof Error ? error.stack : error}` });
  }
});
