import { IMAGE_FOCUS } from '../../poll/poll.ts';
import type { Size } from '../logo-size.ts';

/**
 * Returns the part of a picture that covers a box: left, top, width and height, in pixels of the
 * picture. The focus is in the middle if it can be.
 */
export function coverOf(
  { width, height }: Size,
  box: Size,
  [x, y] = IMAGE_FOCUS,
): readonly [left: number, top: number, width: number, height: number] {
  const scale = Math.min(width / box.width, height / box.height);
  const wide = box.width * scale;
  const high = box.height * scale;
  const startOf = (all: number, part: number, percent: number) =>
    Math.round(Math.max(0, Math.min(all - part, (all * percent) / 100 - part / 2)));
  return [startOf(width, wide, x), startOf(height, high, y), wide, high];
}

/**
 * Returns `object-position` for a crop of a picture whose size is not known, on a page. The focus is
 * where `coverOf` has it in a picture twice as long as its box, and near it in others.
 */
export function objectPosition(focus: readonly number[] = IMAGE_FOCUS): string {
  return focus.map(percent => `${Math.max(0, Math.min(100, 2 * percent - 50))}%`).join(' ');
}
