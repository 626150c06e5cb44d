import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { marks, type Tone } from '../../src/row/palette.ts';
import { pageVariables, rowVariables } from '../../src/row/row-look.ts';
import { contrast, toLinear } from '../overlay/color-vision.ts';

const css = readFileSync(new URL('../../src/row/row.css', import.meta.url), 'utf8');
const tones: Tone[] = ['dark', 'light'];
/** What whoever draws a row gives it, and what a row may be given. */
const GIVEN = ['text', 'soft', 'track', 'bar', 'way', 'big', 'small', 'bold', 'fill'];

describe('the look of a row', () => {
  it('gives every variable that its rules use', () => {
    const used = [...css.matchAll(/var\(--([\w-]+)/g)].map(([, name]) => name);
    const given = [...pageVariables().matchAll(/--([\w-]+):/g)].map(([, name]) => name);
    expect(used.filter(name => ![...given, ...GIVEN].includes(name))).toEqual([]);
  });

  it('is in proportion to the size of an answer, on air as on a page', () => {
    expect(Object.fromEntries(rowVariables('var(--u)'))).toMatchObject({
      '--answer-size': 'calc(var(--u) * 36)',
      '--best-size': 'calc(var(--u) * 44)',
      '--best-weight': '800',
    });
    expect(pageVariables()).toContain('--best-size: calc(1em / 36 * 44);');
  });

  it.each(tones)('has a mark that is read in the tone %s', tone => {
    const { accent, onAccent } = marks[tone];
    expect(contrast(toLinear(accent), toLinear(onAccent))).toBeGreaterThanOrEqual(4.5);
  });
});
