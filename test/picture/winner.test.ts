import { describe, expect, it } from 'vitest';
import { layOut } from '../../src/picture/draw/lay-out.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';
import {
  boxOf,
  draw,
  isWithin,
  lettersOf,
  lookOf,
  NOW_MS,
  overlapsIn,
  type Size,
  safeAreaOf,
  screenOf,
} from './drawn.ts';

/** The winner on the whole picture. */

const closed = { status: 'closed' } as const;
const NAMES = ['Amara', 'Benedikt von Hohenstein', 'Chloé', 'Dmitri', 'Esperanza', 'Finlay'];
const VOTES = [61, 57, 22, 35, 48, 9];
const SIZES: readonly Size[] = [
  [1920, 1080],
  [1280, 720],
  [1080, 1920],
  [1024, 768],
  [1200, 630],
  [640, 360],
  [390, 844],
];

function pollOf(votes: readonly number[], hasImages: boolean, title = 'Who takes the crown?') {
  const poll = knownResults(votes, { ...closed, title });
  const answers = poll.poll_answers.map((answer, at) => {
    const named = { ...answer, answer: NAMES[at % NAMES.length]! };
    return hasImages ? { ...named, image: `/face/${at}` } : named;
  });
  return { ...poll, poll_answers: answers };
}

const lay = (poll: ReturnType<typeof pollOf>, query = '', size = SIZES[0]!) =>
  layOut(poll, lookOf(`scene=full&${query}`, size, { winnerFills: true }), NOW_MS);

it('has a portrait of 480 px, a name of 120 and a figure of 160', () => {
  const { parts, unitPx } = lay(pollOf(VOTES, true));
  const partOf = (key: string) => parts.find(one => one.key === key)!;
  const sizeOf = (key: string) => {
    const { shape } = partOf(key);
    return 'font' in shape ? Math.round(shape.font.size * unitPx) : 0;
  };
  expect(Math.round(partOf('won face a1').at.width * unitPx)).toBe(480);
  expect([sizeOf('won name a1'), sizeOf('beside won percent a1')]).toEqual([120, 160]);
});

it('has the others beside it, by place, and says how many more there are', () => {
  const names = (votes: readonly number[]) =>
    lay(pollOf(votes, false)).parts.flatMap(({ key, row }) => (/^(beside )?name /.test(key) ? [row] : []));
  expect(names(VOTES)).toEqual(['a2', 'a5', 'a4', 'a3', 'a6']);
  const many = lay(
    pollOf(
      Array.from({ length: 20 }, (_, at) => 100 - at),
      false,
    ),
  );
  const shown = many.parts.filter(({ key }) => key.startsWith('beside name ')).length;
  const words = many.parts.flatMap(({ shape }) => (shape.kind === 'text' ? shape.lines : []));
  expect(words).toContain(`and ${19 - shown} more`);
});

it.each([
  ['a tie', pollOf([4, 4, 1], false), ''],
  ['an open poll', { ...pollOf(VOTES, false), status: 'open' as const }, ''],
  ['no votes', pollOf([0, 0], false), ''],
  ['no mark of winners', pollOf(VOTES, false), 'winner=0'],
  ['an answer of its own', pollOf(VOTES, false), 'style=big-number&answer=2'],
])('leaves the table on the picture: %s', (_, poll, query) => {
  expect(lay(poll, query).isWinner).toBeUndefined();
});

describe.each([
  '',
  'lang=ar',
  'theme=light&values=count',
  'theme=outline',
  'style=versus',
  'lang=de&style=columns',
])('with %s', query => {
  it.each(SIZES)('%d × %d: no text leaves the safe area, or lies on another', (...size) => {
    const long = 'A question that goes on and on, as questions do when several people write them together';
    for (const hasImages of [true, false])
      for (const title of ['Who?', long])
        for (const votes of [VOTES, [6_100_000, 5_200_000], Array.from({ length: 20 }, (_, at) => 40 - at)]) {
          const laid = lay(pollOf(votes, hasImages, title), query, size);
          expect(laid.isWinner).toBe(true);
          const letters = laid.parts.flatMap(one =>
            lettersOf(one, laid.isRtl).map(box => ({ key: one.key, box })),
          );
          const safe = safeAreaOf(laid, size);
          expect(letters.filter(({ box }) => !isWithin(box, safe, 4)).map(({ key }) => key)).toEqual([]);
          expect(overlapsIn(letters).map(([one, other]) => `${one.key} on ${other.key}`)).toEqual([]);
          const { left, right, top, bottom } = screenOf(laid, size);
          const plate = boxOf(laid.parts.find(({ key }) => key === 'winner a1')!);
          expect(laid.isRtl ? plate.right : plate.left).toBeCloseTo(laid.isRtl ? right : left);
          expect([plate.top, plate.bottom > bottom / 3]).toEqual([top, true]);
        }
  });
});

it.each(['', 'scene=full', 'theme=outline', 'style=donut', 'style=columns'])(
  'keeps the word within the plate of its row, in an upright picture, too: %s',
  query => {
    const poll = pollOf(VOTES, false);
    const answers = poll.poll_answers.map(one => ({
      ...one,
      answer: `${one.answer} and a name that is long`,
    }));
    for (const size of [
      [1080, 1920],
      [1920, 1080],
      [390, 844],
    ] as const) {
      const { parts } = draw({ ...poll, poll_answers: answers }, query, size);
      const boxesOf = (key: string) => parts.filter(one => one.key === key).map(one => boxOf(one));
      for (const badge of boxesOf('badge a1')) {
        const plate = boxesOf('winner a1')[0]!;
        const isOutside = badge.top >= plate.bottom || badge.bottom <= plate.top || badge.right <= plate.left;
        expect(isOutside || isWithin(badge, plate, 0.1), size.join('x')).toBe(true);
      }
    }
  },
);
