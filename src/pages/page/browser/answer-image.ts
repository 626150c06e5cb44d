import { ANSWER_SIDES, IMAGE_TYPES, MAX_ANSWER_IMAGE_BYTES } from '../../../poll/image-size.ts';

/** Images of answers, on their way to the relay. */

const QUALITY = 0.85;

/**
 * Returns a file that needs no scaling by the relay: a larger photo is drawn smaller.
 *
 * @throws if the browser cannot draw it
 */
export async function smallImage(file: File): Promise<Blob> {
  const image = await createImageBitmap(file);
  try {
    const isSmall =
      file.size <= MAX_ANSWER_IMAGE_BYTES && Math.max(image.width, image.height) <= ANSWER_SIDES[0];
    if (isSmall && Object.values(IMAGE_TYPES).includes(file.type)) return file;
    for (const side of ANSWER_SIDES) {
      const canvas = drawSmaller(image, side);
      const drawn = await new Promise<Blob | null>(done => canvas.toBlob(done, 'image/webp', QUALITY));
      if (drawn && drawn.size <= MAX_ANSWER_IMAGE_BYTES) return drawn;
    }
  } finally {
    image.close();
  }
  throw new RangeError('The image stays too large');
}

/** @param side of the longer edge, at most, in pixels */
export function drawSmaller(image: ImageBitmap, side: number): HTMLCanvasElement {
  const scale = Math.min(1, side / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}
