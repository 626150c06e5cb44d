import type { Canvas, Image } from '@napi-rs/canvas';
import { ANSWER_SIDES, MAX_ANSWER_IMAGE_BYTES } from '../poll/image-size.ts';
import type { CanvasModule } from './decode-faces.ts';
import type { Photo } from './stills.ts';

const QUALITY = 85;

/** Returns a WebP that an answer can have, upright and without the facts of a photo; empty if it cannot be decoded. */
export async function scalePhoto({ photo }: Photo, module: CanvasModule): Promise<Uint8Array> {
  const image = await module.loadImage(photo).catch(() => undefined);
  for (const side of image ? ANSWER_SIDES : []) {
    const scaled = await shrink(image!, side, module).encode('webp', QUALITY);
    if (scaled.length <= MAX_ANSWER_IMAGE_BYTES) return scaled;
  }
  return new Uint8Array(0);
}

/** @param side the longest, in pixels, of an image that is larger */
export function shrink(image: Image, side: number, module: CanvasModule): Canvas {
  const scale = Math.min(1, side / Math.max(image.width, image.height));
  const [width, height] = [image.width, image.height].map(length => Math.max(1, Math.round(length * scale)));
  const canvas = module.createCanvas(width!, height!);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width!, height!);
  return canvas;
}
