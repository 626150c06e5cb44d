import { SHOW_NAME } from '../../../poll/poll.ts';

const LONGEST = 40;
/** Letters without a decomposition. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Proposes the name of a show from its title: empty if too little of it can be part of an address. */
export function nameFrom(title: string): string {
  const name = title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]/g, letter => SPELLED[letter] ?? ' ')
    .trim()
    .replace(/ +/g, '-')
    .slice(0, LONGEST)
    .replace(/-$/, '');
  return SHOW_NAME.test(name) ? name : '';
}
