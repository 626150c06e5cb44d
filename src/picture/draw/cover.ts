import type { Size } from '../logo-size.ts';

/** The point of a picture, in parts of its height, that is in the middle if it can be: there, heads are whole. */
const FOCUS = 0.28;

/** Returns the part of a picture that covers a box: left, top, width and height, in pixels of the picture. */
export function coverOf(
  { width, height }: Size,
  box: Size,
): readonly [left: number, top: number, width: number, height: number] {
  const scale = Math.min(width / box.width, height / box.height);
  const wide = box.width * scale;
  const high = box.height * scale;
  const top = Math.max(0, Math.min(height - high, height * FOCUS - high / 2));
  return [(width - wide) / 2, top, wide, high];
}
