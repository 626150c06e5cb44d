import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import * as canvas from '@napi-rs/canvas';
import { drawStill, openTypeSetter } from './draw-still.ts';
import { registerFonts } from './fonts.ts';
import { Images } from './images.ts';
import type { Task } from './stills.ts';

/** A thread that draws, so that drawing delays no ballot. Fonts of other scripts come from the system. */

// Ballots go first. Only Linux has a priority for each thread.
if (process.platform === 'linux') setPriority(10);
registerFonts(canvas);
const type = openTypeSetter(canvas);
const images = new Images(canvas);

parentPort?.on('message', async (task: Task) => {
  const endMs = performance.now() + task.patienceMs;
  try {
    const image =
      'photo' in task ? await images.scale(task.photo) : await drawStill(task, canvas, type, images, endMs);
    parentPort?.postMessage({ image });
  } catch (error) {
    parentPort?.postMessage({ error: `${error instanceof Error ? error.stack : error}` });
  }
});
