import type { Size } from '../logo-size.ts';

/** Returns the middle part of an image that covers a box: left, top, width and height, in pixels of the image. */
export function coverOf(
  { width, height }: Size,
  box: Size,
): readonly [left: number, top: number, width: number, height: number] {
  const scale = Math.min(width / box.width, height / box.height);
  const wide = box.width * scale;
  const high = box.height * scale;
  return [(width - wide) / 2, (height - high) / 2, wide, high];
}
