import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pageLook, schemes } from '../../src/pages/page/page-look.ts';
import { contrast, toRgb } from '../../src/picture/color.ts';

const RELAY = 'https://relay.test';
const BASE = readFileSync('src/http/tokens.css', 'utf8');
const sheetOf = (look: object) => pageLook({ look }, RELAY).css;
/** The part for the light, and for the dark scheme. */
const partsOf = (css: string) => css.split('@media (prefers-color-scheme:dark)');
const valueIn = (css: string, name: string) => new RegExp(`${name}:(#[0-9a-f]{6})`).exec(css)![1]!;
const ACCENTS = [
  '#ffd25e',
  '#000000',
  '#ffffff',
  '#1e90ff',
  '#808080',
  '#f00',
  '#00ff0080',
  '#12345678',
  '#7a7a7a',
];

describe('the look of a show on voting pages', () => {
  it('knows the colors of the pages', () => {
    const [light = '', dark = ''] = BASE.split('@media (prefers-color-scheme: dark)');
    for (const [css, { grounds, text }] of [
      [light, schemes.light],
      [dark, schemes.dark],
    ] as const) {
      const long = (color: string) => (color.length === 4 ? color.replace(/[^#]/g, '$&$&') : color);
      const names = ['ground', 'plate', 'text'].map(name =>
        long(new RegExp(`--${name}: (#\\w+)`).exec(css)![1]!),
      );
      expect(names).toEqual([...grounds, text]);
    }
  });

  it.each(ACCENTS)('has text with a contrast of 4.5 in any accent: %s', accent => {
    for (const [at, part] of partsOf(sheetOf({ accent })).entries()) {
      const { grounds, text } = at === 0 ? schemes.light : schemes.dark;
      const [shown, on, tint] = ['--accent', '--on-accent', '--tint'].map(name => toRgb(valueIn(part, name)));
      for (const ground of grounds) expect(contrast(shown!, toRgb(ground))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(on!, shown!)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(toRgb(text), tint!)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('keeps an accent that has enough contrast', () => {
    const [light, dark] = partsOf(sheetOf({ accent: '#2f5bd7' }));
    expect(valueIn(light!, '--accent')).toBe('#2f5bd7');
    expect(valueIn(dark!, '--accent')).not.toBe('#2f5bd7');
  });

  it('has the colors of all answers, each with a contrast of 3', () => {
    for (const [at, part] of partsOf(sheetOf({ colors: ['#fff', '#000', '#ff8800'] })).entries()) {
      const fills = [...part.matchAll(/\.rows>:nth-child\(3n\+(\d)\)\{--fill:(#\w{6})\}/g)];
      expect(fills.map(([, place]) => place)).toEqual(['1', '2', '3']);
      const { grounds } = at === 0 ? schemes.light : schemes.dark;
      for (const [, , fill] of fills)
        for (const ground of grounds) expect(contrast(toRgb(fill!), toRgb(ground))).toBeGreaterThanOrEqual(3);
    }
  });

  it('is none without color and logo, and has a mark of its content otherwise', () => {
    expect(pageLook({}, RELAY)).toEqual({ mark: '', css: '', logo: null });
    const screens = { theme: 'light', style: 'donut' };
    expect(pageLook({ look: screens as object }, RELAY).mark).toBe('');
    const logo = pageLook({ logo: '/api/show/friday/logo/a.png' }, RELAY);
    expect(logo).toMatchObject({ css: '', logo: `${RELAY}/api/show/friday/logo/a.png` });
    const marks = [
      logo,
      pageLook({ look: { accent: '#f00' } }, RELAY),
      pageLook({ look: { accent: '#00f' } }, RELAY),
    ];
    expect(new Set(marks.map(({ mark }) => mark)).size).toBe(3);
  });
});
