import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitCells, safeText, textWidth } from '../../src/cli/terminal.ts';
import { anyText } from '../support/any-text.ts';

it.each([
  ['\x1b]0;owned\x07Yes', ']0;owned Yes'],
  ['a\x1b[2Jb', 'a [2Jb'],
  ['a\u009B31mb', 'a 31mb'],
  ['a\r\nb', 'a  b'],
  ['ab\u202Edc', 'ab dc'],
  ['a\u2028b', 'a b'],
])('makes %j safe', (text, safe) => {
  expect(safeText(text)).toBe(safe);
});

it('keeps emoji, combining marks and other scripts', () => {
  for (const text of ['👩‍👩‍👧‍👦', 'é', 'שלום', 'हिन्दी', '日本語']) expect(safeText(text)).toBe(text);
});

it('removes every control character', () => {
  fc.assert(
    fc.property(anyText(), text => {
      expect(safeText(text)).not.toMatch(/\p{Cc}/u);
    }),
  );
});

it.each([
  ['abc', 3],
  ['日本', 4],
  ['é', 1],
  ['👩‍👩‍👧‍👦', 2],
  ['❤️', 2],
  ['🇫🇷', 2],
  ['ｶﾅ', 2],
  ['', 0],
])('measures %j as %i cells', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

it('fits text to a width without splitting a character', () => {
  expect(fitCells('abc', 5)).toBe('abc  ');
  expect(fitCells('abcdef', 4)).toBe('abc…');
  expect(fitCells('日本語', 4)).toBe('日… ');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, width) => {
      expect(textWidth(fitCells(safeText(text), width))).toBe(width);
    }),
  );
});
