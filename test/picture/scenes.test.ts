import { describe, expect, it } from 'vitest';
import { type Laid, layOut } from '../../src/picture/draw/lay-out.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';
import { atRest, boxOf, draw, HD, isWithin, lettersOf, lookOf, NOW_MS, type Size, wordsIn } from './drawn.ts';

/** A full picture that its answers fill, and a lower third. */

const NAMES = ['Northern Lights', 'Paper Planes', 'Golden Hour', 'Midnight Train', 'Slow Motion'];
const title = 'Which song should close the show tonight?';

/** Names of several words, without room on one line of a narrow place. */
const LONG_NAMES = [
  'The Northern Lights over Tromsø',
  'Paper Planes and Other Stories',
  'Golden Hour (Live in Vienna)',
  'The Midnight Train to Georgia',
  'Slow Motion Picture Show',
  'Somebody That I Used to Know',
];

function pollOf(answers: number, hasFaces = false, names = NAMES) {
  const poll = knownResults(
    Array.from({ length: answers }, (_, at) => 3 * (answers - at)),
    { title },
  );
  const poll_answers = poll.poll_answers.map((answer, at) => ({
    ...answer,
    answer: names[at % names.length]!,
    ...(hasFaces && { image: `/face/${at}` }),
  }));
  return { ...poll, poll_answers };
}

/** In pixels of a 1080p picture. */
function sizesOf(laid: Laid, key: RegExp) {
  return laid.parts
    .filter(part => key.test(part.key))
    .map(({ at, shape }) => ({
      x: at.x * laid.unitPx,
      y: at.y * laid.unitPx,
      width: at.width * laid.unitPx,
      height: at.height * laid.unitPx,
      type: 'font' in shape ? shape.font.size * laid.unitPx : 0,
    }));
}

const UPRIGHT: Size = [1080, 1920];

describe('a full picture', () => {
  it.each([1, 2, 3, 5, 8, 9, 12, 16, 20])(
    'has all of %i answers on one page, in type from 36 to 72 pixels',
    answers => {
      for (const size of [HD, UPRIGHT])
        for (const style of ['bars', 'columns', 'donut']) {
          const laid = draw(pollOf(answers), `style=${style}&scene=full`, size);
          const isShown = (answers > 12 && style !== 'bars' && size === HD) || laid.turns === 1;
          expect([style, size, isShown, laid.cut]).toEqual([style, size, true, []]);
          for (const { type } of sizesOf(laid, /^name /)) {
            expect(Math.round(type)).toBeGreaterThanOrEqual(size === HD ? 36 : 32);
            expect(Math.round(type)).toBeLessThanOrEqual(72);
          }
        }
    },
  );

  it.each([
    'bars',
    'columns',
    'donut',
    'ticker',
    'bars&scene=strap',
    'bars&scene=full&qr=right',
    'bars&qr=right',
  ])('has no pages up to twenty answers where it is upright, and breaks no word: %s', look => {
    for (const answers of [6, 8, 12, look.includes('qr') ? 12 : 20]) {
      const laid = draw(pollOf(answers), `style=${look}`, UPRIGHT);
      const words = new Set(NAMES.flatMap(text => text.split(' ')));
      const written = atRest(laid).filter(({ part }) => part.key.startsWith('name '));
      expect([answers, laid.turns, laid.cut, written.length]).toEqual([answers, 1, [], answers]);
      expect(written.flatMap(one => wordsIn(one).split(' ')).filter(word => !words.has(word))).toEqual([]);
    }
  });

  it('has pages above twenty', () => {
    expect(draw(pollOf(21), 'scene=full').turns).toBe(2);
  });

  it('gives two answers pictures of 220 pixels, and eight one column of 80 pixels at least', () => {
    const [face] = sizesOf(draw(pollOf(2, true), 'scene=full'), /^face /);
    expect(face!.height).toBeGreaterThanOrEqual(220);
    const rows = sizesOf(draw(pollOf(8), 'scene=full'), /^name /);
    expect(new Set(rows.map(({ x }) => Math.round(x))).size).toBe(1);
    expect(rows[1]!.y - rows[0]!.y).toBeGreaterThanOrEqual(80);
    expect(new Set(sizesOf(draw(pollOf(9), 'scene=full'), /^name /).map(({ x }) => Math.round(x))).size).toBe(
      2,
    );
  });

  it('has question and state on one line, the total below the answers, and the code as high as these', () => {
    const laid = draw(pollOf(5), 'scene=full&qr=right');
    const at = (key: string) => boxOf(laid.parts.find(part => part.key === key)!);
    const [line] = lettersOf(laid.parts.find(({ key }) => key === 'title')!, false);
    const middle = (at('state').top + at('state').bottom) / 2;
    expect(line!.top).toBeLessThan(middle);
    expect(line!.bottom).toBeGreaterThan(middle);
    expect(at('title').left).toBeCloseTo(at('total').left, 6);
    expect(at('total').top).toBeGreaterThanOrEqual(at('code card').bottom);
    const rows = [at('track a1').top, at('track a5').bottom];
    expect(at('code card').top).toBeLessThanOrEqual(rows[0]!);
    expect(at('code card').bottom).toBeGreaterThanOrEqual(rows[1]! - 1);
  });

  it('shows at least the answers of the panel', () => {
    for (const style of ['bars', 'columns', 'donut'])
      for (const answers of [5, 8, 12, 20, 43]) {
        const [panel, full] = ['panel', 'full'].map(
          scene => draw(pollOf(answers), `style=${style}&scene=${scene}`).picture!.slots,
        );
        expect([style, answers, full! >= panel!]).toEqual([style, answers, true]);
      }
  });

  it('shows portraits of versus at least 40 % as high as they are wide', () => {
    for (const query of ['', '&qr=right', '&values=percent']) {
      const [face] = sizesOf(draw(pollOf(2, true), `style=versus&scene=full${query}`), /^face /);
      expect([query, face!.height / face!.width >= 0.4]).toEqual([query, true]);
    }
  });

  it('has question, answers and code below each other in an upright picture, and breaks no word', () => {
    for (const style of ['bars', 'columns', 'donut', 'versus', 'big-number']) {
      const laid = draw(pollOf(5, true), `style=${style}&scene=full&qr=right`, UPRIGHT);
      const top = (key: RegExp) => Math.min(...sizesOf(laid, key).map(({ y }) => y));
      expect([
        style,
        top(/^title$/) < top(/^(name|number) /),
        top(/^(name|number) /) < top(/^code$/),
      ]).toEqual([style, true, true]);
      const words = new Set([title, ...NAMES].flatMap(text => text.split(' ')));
      const written = atRest(laid)
        .filter(({ part }) => /^(title|name )/.test(part.key))
        .flatMap(one => wordsIn(one).split(' '));
      expect([style, written.filter(word => !words.has(word))]).toEqual([style, []]);
    }
  });
});

describe('a lower third', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'has %i answers side by side in the safe width, at most 300 pixels high',
    answers => {
      for (const query of ['', '&qr=right', '&style=columns', '&qr=left&theme=flat'])
        for (const status of ['open', 'closed'] as const) {
          const laid = draw({ ...pollOf(answers, true), status }, `scene=strap${query}`);
          const [plate] = sizesOf(laid, /^plate$/);
          const parts = sizesOf(laid, /^(plate|code card)$/);
          const [left, right] = [
            Math.min(...parts.map(({ x }) => x)),
            Math.max(...parts.map(({ x, width }) => x + width)),
          ];
          expect([left, right]).toEqual([96, 1824]);
          expect(plate!.height).toBeLessThanOrEqual(300);
          const names = sizesOf(laid, /^name /);
          expect([laid.cut, laid.turns, names.length]).toEqual([[], 1, answers]);
          expect(new Set(names.map(({ x }) => x)).size).toBe(answers);
        }
    },
  );
});

it.each([
  ['style=code', 'Scan to vote'],
  ['qr=right', 'Scan to vote'],
  ['qr=right&scene=full&theme=light', 'Scan to vote'],
  ['qr=right&scene=strap&theme=flat&lang=de', 'Scannen und abstimmen'],
])('says what the code is for, on a plate like that of the panel: %s', (query, words) => {
  const laid = draw(pollOf(5), query);
  const find = (key: string) => laid.parts.find(part => part.key === key)!;
  const [card, code, scan] = ['code card', 'code', 'scan'].map(find);
  expect(wordsIn({ part: scan!, at: scan!.at })).toBe(words);
  expect(lettersOf(scan!, false).every(letters => isWithin(letters, boxOf(card!)))).toBe(true);
  if (!query.includes('strap')) expect(boxOf(scan!).bottom).toBeLessThanOrEqual(boxOf(code!).top);
  const plate = laid.parts.find(({ key }) => key === 'plate');
  if (plate) expect(card!.shape).toEqual(plate.shape);
  // Readers need a light ground that is larger than the dark modules.
  expect(find('code ground').shape).toMatchObject({ kind: 'box', fill: { color: '#ffffff' } });
});

describe('a panel', () => {
  it('takes its width from its rows before the question widens it', () => {
    const widthOf = (question: string) =>
      sizesOf(draw({ ...pollOf(4), title: question }, ''), /^plate$/)[0]!.width;
    for (const question of ['Who?', title, `${title} And which one should be the first?`])
      expect([question, Math.min(960, Math.max(860, widthOf(question)))]).toEqual([
        question,
        widthOf(question),
      ]);
    expect(widthOf(`${title} `.repeat(6))).toBeGreaterThan(960);
  });
});

describe('a ticker', () => {
  it('has at least three answers on a page, whose figures are on one line', () => {
    for (const answers of [3, 5, 12]) {
      const laid = draw(pollOf(answers), 'style=ticker');
      const figures = sizesOf(laid, /^percent /);
      expect(figures.length).toBeGreaterThanOrEqual(3);
      expect(new Set(figures.map(({ y }) => y)).size).toBe(1);
    }
  });

  it.each([
    ['long names', LONG_NAMES],
    ['one long name among short ones', ['Yes', LONG_NAMES.join(' '), 'No', 'Maybe', 'Never', 'Always']],
  ])('has three answers on each page in one size, and each answer on one page: %s', (_, names) => {
    const pages = [0, 1].map(turn =>
      layOut(pollOf(6, false, names), lookOf('style=ticker', HD, { turn }), NOW_MS),
    );
    expect(pages.map(({ turns }) => turns)).toEqual([2, 2]);
    const written = pages.flatMap(({ parts }) => parts.filter(({ key }) => key.startsWith('name ')));
    expect(written.map(({ row }) => row)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
    expect(new Set(pages.flatMap(page => sizesOf(page, /^name /).map(({ type }) => type))).size).toBe(1);
  });

  it('ends a name that has no room without breaking a word', () => {
    const laid = draw(pollOf(6, false, LONG_NAMES), 'style=ticker');
    const lines = laid.parts.flatMap(({ key, shape }) =>
      key.startsWith('name ') && shape.kind === 'text' ? shape.lines : [],
    );
    expect(laid.cut).toEqual(['answers']);
    expect(lines.filter(line => line.endsWith('-'))).toEqual([]);
  });

  it('keeps the plate of a winner away from the next answer', () => {
    const { parts } = draw({ ...pollOf(3), status: 'closed' }, 'style=ticker');
    const box = (key: string) => boxOf(parts.find(part => part.key === key)!);
    expect(box('swatch a2').left - box('winner a1').right).toBeGreaterThanOrEqual(12);
  });
});
