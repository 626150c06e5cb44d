import { expect, it } from 'vitest';
import { formatJoinCode, parseJoinCode } from '../../src/poll/join-code.ts';

it.each([
  ['482913', '482913'],
  [' 482 913 ', '482913'],
  ['482-913', '482913'],
  ['482\u2013913', '482913'],
  ['482\u00a0913\u200f', '482913'],
  ['٤٨٢ ٩١٣', '482913'],
  ['۴۸۲۹۱۳', '482913'],
  ['४८२ ९१३', '482913'],
  ['４８２９１３', '482913'],
  ['4 829 130', '4829130'],
  ['007 001', '007001'],
  ['48291', undefined],
  ['48291300', undefined],
  ['48291a', undefined],
  ['', undefined],
])('what is typed, %j, is the code %j', (typed, code) => expect(parseJoinCode(typed)).toBe(code));

it('is written in groups of three', () => {
  expect([formatJoinCode('482913'), formatJoinCode('4829130')]).toEqual([
    '482\u00a0913',
    '4\u00a0829\u00a0130',
  ]);
});
