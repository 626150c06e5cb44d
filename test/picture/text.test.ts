import { expect, it } from 'vitest';
import { distinctEnd, hyphenate, splitGraphemes } from '../../src/picture/text.ts';

const ends = (...texts: string[]) => texts.map(text => distinctEnd(text, texts));

it('returns the end from the first different word on', () => {
  expect(ends('Place number 10', 'Place number 14', 'Place number 2')).toEqual(['10', '14', '2']);
  expect(ends('Northern Lights (live)', 'Northern Lights (studio)')).toEqual(['(live)', '(studio)']);
});

it('returns nothing for texts with distinct beginnings, or equal texts', () => {
  expect(ends('Yes, play on', 'No, penalties now', 'Yes, but later')).toEqual(['', '', '']);
  expect(ends('The same answer', 'The same answer')).toEqual(['', '']);
});

it('returns no end that is too long', () => {
  expect(ends('A question of taste and of nothing else in the world', 'A question of tastes')).toEqual([
    '',
    'tastes',
  ]);
});

it('splits into user-perceived characters', () => {
  expect(splitGraphemes('👩‍👩‍👧é́x')).toEqual(['👩‍👩‍👧', 'é́', 'x']);
});

it.each([
  ['Geschwindigkeitsbegrenzung', 'Ge-schwin-dig-keits-be-gren-zung'],
  ['Kraftfahrzeughaftpflichtversicherung', 'Kraft-fahr-zeug-haft-pflicht-ver-si-che-rung'],
  ['Nahrungsmittelunverträglichkeit', 'Nah-rungs-mit-te-lun-ver-träg-lich-keit'],
  ['Kolmivaihekilowattituntimittari', 'Kol-mi-vai-he-ki-lo-wat-ti-tun-ti-mit-tari'],
  ['internationalisation', 'in-ter-na-tio-na-li-sa-tion'],
  ['достопримечательности', 'дос-то-при-ме-ча-тель-ности'],
])('splits a long word between its syllables: %s', (word, syllables) => {
  expect(hyphenate(word).replaceAll('\u00ad', '-')).toBe(syllables);
});

it('splits no short words, numbers or other scripts', () => {
  const text = 'Yes, play on 1234567890 ชั่วโมงทองที่ปู่ย่า WWWWWWWWWWWW';
  expect(hyphenate(text)).toBe(text);
});
