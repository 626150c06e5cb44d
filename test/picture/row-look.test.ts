import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { marks, pageVariables, palettes, type Tone, withSizes } from '../../src/picture/row-look.ts';
import { themes, themeTones } from '../../src/picture/themes.ts';
import { ciede2000, contrast, difference, distance, sights, toLinear, toOklab } from './color-vision.ts';

const css = readFileSync(new URL('../../src/picture/row.css', import.meta.url), 'utf8');
const tones: Tone[] = ['dark', 'light'];
/** Variables that the host of a row sets, or may set. */
const HOST = ['text', 'soft', 'track', 'bar', 'way', 'big', 'small', 'bold', 'fill'];
/** Five times a just noticeable difference. */
const DISTINCT = 0.1;

describe('the look of a row', () => {
  it('sets every variable that row.css uses', () => {
    const used = [...withSizes(css).matchAll(/var\(--([\w-]+)/g)].map(([, name]) => name);
    const set = [...pageVariables().matchAll(/--([\w-]+):/g)].map(([, name]) => name);
    expect(used.filter(name => ![...set, ...HOST].includes(name))).toEqual([]);
  });

  it('is in proportion to the size of an answer', () => {
    const sizes = 'var(--answer-size) var(--best-size) var(--best-weight) var(--row-gap)';
    expect(withSizes(sizes)).toBe('1em 1.2222em 800 0.8333em');
    expect(withSizes('var(--fill)')).toBe('var(--fill)');
  });
});

describe.each(tones)('the palette for a %s background', tone => {
  const colors = palettes[tone];

  it('has twelve colors that differ in lightness, too', () => {
    expect(new Set(colors).size).toBe(12);
    const lightness = colors.map(color => toOklab(toLinear(color))[0]);
    expect(Math.max(...lightness) - Math.min(...lightness)).toBeGreaterThan(0.2);
  });

  it.each(sights)('has neighbors that differ under %s vision, also from the last to the first', sight => {
    for (const [at, one] of colors.entries()) {
      const other = colors[(at + 1) % colors.length]!;
      expect(difference(sight, one, other), `${one} and ${other}`).toBeGreaterThanOrEqual(
        sight === 'normal' ? 20 : 8,
      );
    }
  });

  it.each(sights)('begins with six colors that are all distinct under %s vision', sight => {
    const first = colors.slice(0, 6);
    const pairs = first.flatMap((one, at) => first.slice(at + 1).map(other => [one, other] as const));
    for (const [one, other] of pairs)
      expect(distance(sight, one, other), `${one} and ${other}`).toBeGreaterThan(DISTINCT);
  });

  it('has a legible badge', () => {
    const { accent, onAccent } = marks[tone];
    expect(contrast(toLinear(accent), toLinear(onAccent))).toBeGreaterThanOrEqual(4.5);
  });
});

describe('the themes', () => {
  it.each(['dark', 'light', 'flat'] as const)('%s keeps 3:1 between its palette and its background', name => {
    const plate = toLinear(themes[name].plate.slice(0, 7));
    for (const color of palettes[themeTones[name]])
      expect(contrast(toLinear(color), plate), color).toBeGreaterThan(3);
  });
});

it.each([
  [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
  [[50, 2.5, 0], [73, 25, -18], 27.1492],
  [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
  [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
] as const)('measures the difference of %j and %j as the paper on CIEDE2000 does', (one, other, expected) => {
  expect(ciede2000(one, other)).toBeCloseTo(expected, 3);
});
