import { ANSWER_SIDES, MAX_ANSWER_IMAGE_BYTES } from '../poll/image-size.ts';
import { type CanvasModule, shrink } from './images.ts';
import type { Photo } from './stills.ts';

const QUALITY = 85;

/** Returns a WebP that an answer can have, upright and without the facts of a photo; empty if it cannot be decoded. */
export async function scalePhoto({ photo }: Photo, module: CanvasModule): Promise<Uint8Array> {
  const image = await module.loadImage(photo).catch(() => undefined);
  for (const side of image ? ANSWER_SIDES : []) {
    const scale = side / Math.max(image!.width, image!.height);
    const scaled = await shrink(image!, scale, module).encode('webp', QUALITY);
    if (scaled.length <= MAX_ANSWER_IMAGE_BYTES) return scaled;
  }
  return new Uint8Array(0);
}
