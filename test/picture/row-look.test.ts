import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { marks, pageVariables, palettes, type Tone } from '../../src/picture/row-look.ts';
import { themes, themeTones } from '../../src/picture/themes.ts';
import { contrast, distance, sights, toLinear, toOklab } from './color-vision.ts';

const css = readFileSync(new URL('../../src/picture/row.css', import.meta.url), 'utf8');
const tones: Tone[] = ['dark', 'light'];
/** Variables that the host of a row sets, or may set. */
const HOST = ['text', 'soft', 'track', 'bar', 'way', 'big', 'small', 'bold', 'fill'];
/** Five times a just noticeable difference. */
const DISTINCT = 0.1;

describe('the look of a row', () => {
  it('sets every variable that row.css uses', () => {
    const used = [...css.matchAll(/var\(--([\w-]+)/g)].map(([, name]) => name);
    const set = [...pageVariables().matchAll(/--([\w-]+):/g)].map(([, name]) => name);
    expect(used.filter(name => ![...set, ...HOST].includes(name))).toEqual([]);
  });

  it('is in proportion to the size of an answer', () => {
    for (const declaration of ['--answer-size: 1em;', '--best-size: 1.2222em;', '--best-weight: 800;'])
      expect(pageVariables()).toContain(declaration);
  });
});

describe.each(tones)('the palette for a %s background', tone => {
  const colors = palettes[tone];

  it('has six colors of similar lightness', () => {
    expect(new Set(colors).size).toBe(6);
    const lightness = colors.map(color => toOklab(toLinear(color))[0]);
    expect(Math.max(...lightness) - Math.min(...lightness)).toBeLessThan(0.15);
  });

  it.each(sights)('has distinct colors under %s vision', sight => {
    const pairs = colors.flatMap((one, at) => colors.slice(at + 1).map(other => [one, other] as const));
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
