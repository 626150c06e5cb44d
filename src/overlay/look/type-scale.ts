import { rowType } from '../../row/row-look.ts';

/**
 * The type of every picture on air, in pixels of a picture that is 1080 high: what is read first is largest and boldest. Each
 * becomes the variables `--title-size` and `--title-weight` and so on; sizes shrink in steps to `SMALLEST_TEXT` where there is
 * no room, never below.
 */
export const typeScale = {
  title: { size: 54, weight: 700 },
  ...rowType,
  /** The footer. */
  note: { size: 28.5, weight: 600 },
} as const;

/** 2.6 % of the picture's height: what is still read across a room. */
export const SMALLEST_TEXT = 28.5;
