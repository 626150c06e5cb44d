import { expect, it } from 'vitest';
import { distinctEnd, splitGraphemes } from '../../src/overlay/browser/drawing/fit-text.ts';

const ends = (...texts: string[]) => texts.map(text => distinctEnd(text, texts));

it('keeps the word from which texts that begin alike differ', () => {
  expect(ends('Place number 10', 'Place number 14', 'Place number 2')).toEqual(['10', '14', '2']);
  expect(ends('Northern Lights (live)', 'Northern Lights (studio)')).toEqual(['(live)', '(studio)']);
});

it('leaves alone what is told apart by how it begins, or what is the same anyway', () => {
  expect(ends('Yes, play on', 'No, penalties now', 'Yes, but later')).toEqual(['', '', '']);
  expect(ends('The same answer', 'The same answer')).toEqual(['', '']);
});

it('takes no end that would leave nothing of the beginning', () => {
  expect(ends('A question of taste and of nothing else in the world', 'A question of tastes')).toEqual([
    '',
    'tastes',
  ]);
});

it('never parts what is one letter for people', () => {
  expect(splitGraphemes('👩‍👩‍👧é́x')).toEqual(['👩‍👩‍👧', 'é́', 'x']);
});
