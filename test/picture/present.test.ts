import { expect, it } from 'vitest';
import { layOut } from '../../src/picture/draw/lay-out.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';
import {
  boxOf,
  CODE,
  isWithin,
  lettersOf,
  lookOf,
  NOW_MS,
  overlap,
  overlapsIn,
  type Size,
  screenOf,
  wordsOf,
} from './drawn.ts';

/** The screens of a room: an old projector, a monitor, a wall, a pillar. */
const SCREENS: readonly Size[] = [
  [1024, 768],
  [1920, 1080],
  [3840, 2160],
  [1080, 1920],
];
const CODES = {
  'a join code': { ...CODE, joinCode: '482913' },
  'an address': { ...CODE, address: 'https://vote.example.org/AbCdEfGhIjKl' },
  'a local address': {
    ...CODE,
    address: 'http://127.0.0.1:18081/AbCdEfGhIjKl',
    note: 'Opens on this computer only',
  },
};
const QUESTIONS = {
  short: 'Which song should win?',
  long: 'Which of the songs that you have heard this evening should represent our school at the big competition in the capital next spring, with a choir and an orchestra?',
  arabic: 'أي أغنية يجب أن تفوز بالجائزة هذا العام؟',
};

const lay = (size: Size, answers: number, title: string, code: keyof typeof CODES) => {
  const votes = Array.from({ length: answers }, (_, at) => 3 * (answers - at));
  const deadline = new Date(NOW_MS + 90_000).toISOString();
  const look = lookOf('scene=full&qr=right', size, { code: CODES[code], isCodePermanent: true });
  return layOut(knownResults(votes, { title, deadline }), look, NOW_MS);
};

it.each(SCREENS)('%d × %d: a screen in a room cuts nothing, and no text lies on another', (...size) => {
  const faults: string[] = [];
  for (const answers of [2, 5, 12, 20])
    for (const [name, title] of Object.entries(QUESTIONS))
      for (const code of Object.keys(CODES) as (keyof typeof CODES)[]) {
        const laid = lay(size, answers, title, code);
        const { parts, isRtl, cut, hasCode } = laid;
        const say = (fault: string) => faults.push(`${answers} answers, ${name}, ${code}: ${fault}`);
        if (!hasCode) say('no code');
        if (cut.length > 0) say(`${cut} cut`);
        if (wordsOf(laid).some(words => words.includes('…'))) say('an ellipsis');
        const screen = screenOf(laid, size);
        const letters = parts.flatMap(part => lettersOf(part, isRtl).map(box => ({ key: part.key, box })));
        const card = boxOf(parts.find(({ key }) => key === 'code card')!);
        for (const { key, box } of letters) {
          if (!isWithin(box, screen, 0)) say(`${key} outside`);
          const isOfCard = /^(scan|address|join code|note)$/.test(key);
          if (isOfCard ? box.left < card.left || box.right > card.right : overlap(box, card))
            say(`${key} and the card`);
        }
        for (const [one, other] of overlapsIn(letters)) say(`${one.key} on ${other.key}`);
      }
  expect(faults).toEqual([]);
});

it.each(SCREENS)('%d × %d: up to five answers are on one page, beside a large code', (...size) => {
  const least = size[0] > size[1] ? 0.3 : 0.22;
  for (const answers of [2, 5])
    for (const title of Object.values(QUESTIONS))
      for (const code of Object.keys(CODES) as (keyof typeof CODES)[]) {
        const { parts, unitPx, picture } = lay(size, answers, title, code);
        expect([title, code, picture?.slots]).toEqual([title, code, answers]);
        const { height } = parts.find(({ key }) => key === 'code')!.at;
        expect((height * unitPx) / size[1]).toBeGreaterThan(least);
      }
});
