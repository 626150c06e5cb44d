/**
 * The type of every picture, in pixels of a picture that is 1080 high: what is read first is largest and boldest. Each line
 * becomes the variables `--title-size` and `--title-weight` and so on; sizes shrink in steps to `SMALLEST_TEXT` where there is
 * no room, never below.
 */
export const typeScale = {
  title: { size: 54, weight: 700 },
  answer: { size: 36, weight: 600 },
  figure: { size: 36, weight: 700 },
  /** The figure of whoever leads. */
  best: { size: 44, weight: 800 },
  count: { size: 30, weight: 500 },
  /** Footer and marks. */
  note: { size: 28.5, weight: 600 },
} as const;

/** 2.6 % of the picture's height: what is still read across a room. */
export const SMALLEST_TEXT = 28.5;
