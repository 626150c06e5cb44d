import { expect, it } from 'vitest';
import { readColor } from '../../../src/overlay/widget/page-around.ts';

it.each([
  ['rgb(255, 255, 255)', 1, 1],
  ['rgba(0, 0, 0, 0)', 0, 0],
  ['rgba(0, 0, 0, 0.92)', 0, 0.92],
  ['color(srgb 1 1 1 / 0.5)', 1, 0.5],
  ['oklch(0.7 0.1 283)', 0.7, 1],
  ['oklab(0.31 -0.02 1e-5 / 0.25)', 0.31, 0.25],
  ['lab(54 80 67)', 0.54, 1],
  ['lch(12.5 30 300)', 0.125, 1],
])('%s has the right lightness and alpha', (color, lightness, alpha) => {
  expect(readColor(color).lightness).toBeCloseTo(lightness, 5);
  expect(readColor(color).alpha).toBe(alpha);
});
