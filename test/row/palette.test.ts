import { describe, expect, it } from 'vitest';
import { themes, themeTones } from '../../src/overlay/look/themes.ts';
import { themeNames } from '../../src/overlay/parameter/parameters.ts';
import { paletteColors, type Tone } from '../../src/row/palette.ts';
import { contrast, distance, sights, toLinear, toOklab } from '../overlay/color-vision.ts';

/** Five times a just noticeable difference. */
const TOLD_APART = 0.1;
const tones: Tone[] = ['dark', 'light'];

describe('the palette', () => {
  it.each(tones)('has six colours in the tone %s', tone => {
    expect(new Set(paletteColors(tone)).size).toBe(6);
  });

  it.each(tones.flatMap(tone => sights.map(sight => [tone, sight] as const)))(
    'is told apart in the tone %s under %s',
    (tone, sight) => {
      const colors = paletteColors(tone);
      for (const [at, one] of colors.entries()) {
        for (const other of colors.slice(at + 1)) {
          expect(distance(sight, one, other), `${one} and ${other}`).toBeGreaterThan(TOLD_APART);
        }
      }
    },
  );

  it.each(tones)('is of even lightness in the tone %s', tone => {
    const lightness = paletteColors(tone).map(color => toOklab(toLinear(color))[0]);
    expect(Math.max(...lightness) - Math.min(...lightness)).toBeLessThan(0.15);
  });

  it.each(['dark', 'light', 'flat'] as const)(
    'keeps 3 : 1 against the plate of the theme %s over nothing',
    name => {
      const plate = toLinear(themes[name].plate.slice(0, 7));
      for (const color of paletteColors(themeTones[name])) {
        expect(contrast(toLinear(color), plate), color).toBeGreaterThan(3);
      }
    },
  );
});

describe('the themes', () => {
  const over = (hex: string, video: number) => {
    const alpha = hex.length === 9 ? Number.parseInt(hex.slice(7), 16) / 255 : 1;
    const mix = (at: number) =>
      Math.round(Number.parseInt(hex.slice(at, at + 2), 16) * alpha + video * (1 - alpha));
    return toLinear(`#${[1, 3, 5].map(at => mix(at).toString(16).padStart(2, '0')).join('')}`);
  };

  it.each(themeNames.flatMap(name => [0, 255].map(video => [name, video] as const)))(
    '%s keeps 4.5 : 1 for all text over video of brightness %i',
    (name, video) => {
      const theme = themes[name];
      // Where there is no plate, the text stands on its own outline.
      const ground = theme.strokewidth > 0 ? toLinear(theme.stroke) : over(theme.plate, video);
      for (const color of [theme.text, theme.soft, theme.accent]) {
        expect(contrast(toLinear(color), ground), color).toBeGreaterThanOrEqual(4.5);
      }
    },
  );
});
