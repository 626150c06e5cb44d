import { describe, expect, it } from 'vitest';
import { type Laid, layOut } from '../../src/picture/draw/lay-out.ts';
import type { Part } from '../../src/picture/draw/part.ts';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import { type DrawingStyle, drawingStyles, styleTraits } from '../../src/picture/styles.ts';
import { SMALLEST_TEXT } from '../../src/picture/themes.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import {
  atRest,
  boxOf,
  CODE,
  draw,
  HD,
  isWithin,
  lettersOf,
  lookOf,
  NOW_MS,
  overlapsIn,
  type Size,
  SLACK,
  safeAreaOf,
  wordsIn,
} from './drawn.ts';
import { type Script, scripts } from './scripts.ts';

const styles = drawingStyles.filter(style => style !== 'code');
const fullStyles = styles.filter(style => !styleTraits[style].ignores.includes('scene'));
/** Every style, and the styles that fill the picture. */
const scenes: readonly (readonly [DrawingStyle, string])[] = [
  ...styles.map(style => [style, `style=${style}`] as const),
  ...fullStyles.map(style => [style, `style=${style}&scene=full&qr=right`] as const),
  ['bars', 'scene=strap'],
  ['versus', 'style=versus&scene=strap&qr=right'],
];
/** All wide pictures have the same places, in units. */
const WIDE: readonly Size[] = [
  [1280, 720],
  [3840, 2160],
];
const sizes: readonly Size[] = [HD, [400, 225], [320, 640]];

/** A screen on a stage is not as small as a preview. */
function sizesFor(style: DrawingStyle, script: Script): readonly Size[] {
  const chosen = sizes.filter(([, height]) => !styleTraits[style].isOffAir || height >= LOW_PX);
  return script === 'german' ? [...chosen, ...WIDE] : chosen;
}

const SMALLEST_PX = 12;
const ANSWER_BY_TITLE = 0.7;
/**
 * A question is not smaller than its answers, but for a rounding or a letter that would be alone on
 * a line, and where a low picture has little room for it.
 */
const TITLE_BY_ANSWER = 0.92;
const LOW_PX = 300;

const closed = { status: 'closed' } as const;
const falling = (answers: number) => Array.from({ length: answers }, (_, at) => 3 * (answers - at));
const TEN_DIGITS = [9_876_543_210, 9_876_543_209, 1_234_567_890, 831_136_284, 1];
const casts: Readonly<Record<string, ResultsBody>> = {
  '2 answers': knownResults([1204, 1203]),
  '2 answers, closed': knownResults([1204, 1203], closed),
  '5 answers': knownResults(falling(5), { deadline: new Date(NOW_MS + 90_000).toISOString() }),
  '5 answers, closed': knownResults(falling(5), { ...closed, voided_votes: 12 }),
  'ten digits': knownResults(TEN_DIGITS),
  'ten digits, closed': knownResults(TEN_DIGITS, closed),
  'a tie': knownResults([7, 7, 7, 2], closed),
  '20 answers, closed': knownResults(falling(20), closed),
  '100 answers': knownResults(falling(100)),
};

function withTexts<P extends PollSnapshot>(poll: P, script: Script): P {
  const { title, answers } = scripts[script];
  const poll_answers = poll.poll_answers.map((entry, at) => {
    const round = Math.floor(at / answers.length);
    return { ...entry, answer: `${answers[at % answers.length]}${round === 0 ? '' : ` ${round}`}` };
  });
  return { ...poll, title, poll_answers };
}

/** Everything that is wrong with a picture. */
function faultsOf(laid: Laid, style: DrawingStyle, size: Size): string[] {
  const { parts, unitPx, isRtl } = laid;
  const faults: string[] = [];
  const nameOf = (part: Part) => `${part.key} "${wordsIn({ part, at: part.at }).slice(0, 20)}"`;
  const safe = safeAreaOf(laid, size);
  const plate = parts.find(({ key }) => key === 'plate');
  const panel = plate ? boxOf(plate) : safe;
  if (plate && !isWithin(panel, safe)) faults.push('the panel leaves the safe area');
  if (!laid.fits) faults.push('the panel is larger than the safe area');
  if (!parts.some(({ key }) => key === 'title')) faults.push('there is no question');
  for (const part of parts) {
    // The card of a row is seen while it moves, and then the drawing keeps it in its box.
    if (/^(screen|ground image|veil)$|^card /.test(part.key)) continue;
    const isOfPanel = !/code|scan|address|rehearsal|away/.test(part.key);
    if (!isOfPanel && !isWithin(boxOf(part), safe)) faults.push(`${nameOf(part)} leaves the safe area`);
    // Without a plate, that of a winner has its air in the margin.
    const slack = plate || !/^(winner|sweep) /.test(part.key) ? SLACK : SLACK + 12;
    if (isOfPanel && !isWithin(boxOf(part), panel, slack)) faults.push(`${nameOf(part)} leaves the panel`);
    const { shape } = part;
    if (shape.kind !== 'text' && shape.kind !== 'figure' && shape.kind !== 'pill') continue;
    if (shape.font.size < SMALLEST_TEXT - 0.01) faults.push(`${nameOf(part)} is too small on air`);
    if (shape.font.size * unitPx < SMALLEST_PX - 0.01) faults.push(`${nameOf(part)} is too small to read`);
    if (lettersOf(part, isRtl).some(letters => !isWithin(letters, panel)) && isOfPanel)
      faults.push(`the letters of ${nameOf(part)} leave the panel`);
  }
  // The plate of a winner covers these, and has them again.
  const covered = new Set(parts.map(({ key }) => /^won (.*)/.exec(key)?.[1]));
  const letters = parts.flatMap(part =>
    covered.has(part.key)
      ? []
      : lettersOf(part, isRtl)
          .map(box => ({ part, box }))
          .concat(part.shape.kind === 'pill' ? [{ part, box: boxOf(part) }] : []),
  );
  for (const [one, other] of overlapsIn(letters))
    faults.push(`${nameOf(one.part)} lies on ${nameOf(other.part)}`);
  faults.push(...sizeFaults(parts, style, size[1] < LOW_PX));
  return faults;
}

function sizeFaults(parts: readonly Part[], style: DrawingStyle, isLow: boolean): string[] {
  const typeSizes = (pattern: RegExp) => [
    ...new Set(
      parts.flatMap(({ key, shape }) =>
        pattern.test(key) && shape.kind === 'text' ? [shape.font.size] : [],
      ),
    ),
  ];
  const [title = 0] = typeSizes(/^title$/);
  const names = typeSizes(/^name /);
  if (names.length > 1) return [`one list has the sizes ${names.join(', ')}`];
  const [name] = names;
  if (name === undefined || title === 0) return [];
  const faults: string[] = [];
  if (name < ANSWER_BY_TITLE * title - 0.01)
    faults.push(`answers have ${name} beside a question of ${title}`);
  if (title < TITLE_BY_ANSWER * name && !styleTraits[style].isStrip && !isLow)
    faults.push(`a question of ${title} is below answers of ${name}`);
  return faults;
}

describe.each(scenes)('%s: %s', (style, query) => {
  it.each(Object.keys(scripts) as Script[])('has no layout faults at any size, in any cast: %s', script => {
    const faults = Object.entries(casts).flatMap(([cast, poll]) =>
      sizesFor(style, script).flatMap(size => {
        const asked = `${query}&lang=${scripts[script].lang}`;
        return faultsOf(draw(withTexts(poll, script), asked, size), style, size).map(
          fault => `${cast}, ${size.join('x')}: ${fault}`,
        );
      }),
    );
    expect(faults).toEqual([]);
  });
});

describe.each(scenes)('%s: %s', (_, query) => {
  it('can be drawn in the little room of a banner or a thumbnail', () => {
    for (const size of [
      [90, 60],
      [1920, 100],
    ] as const)
      for (const poll of [...Object.values(casts), knownHidden()])
        expect(draw(poll, query, size).parts.length).toBeGreaterThan(0);
  });

  it('is mirrored where lines start on the right', () => {
    const mirror = (direction: 'ltr' | 'rtl') => {
      const look = lookOf(`${query}&lang=en`, HD);
      Object.defineProperty(look.wording, 'direction', { value: direction });
      return layOut(casts['5 answers, closed']!, look, NOW_MS);
    };
    const [plain, mirrored] = [mirror('ltr'), mirror('rtl')];
    expect([plain.isRtl, mirrored.isRtl]).toEqual([false, true]);
    const find = (laid: Laid, key: string) => laid.parts.find(part => part.key === key)!;
    const { at: room } = find(plain, plain.parts.some(({ key }) => key === 'plate') ? 'plate' : 'screen');
    const middle = room.x + room.width / 2;
    for (const part of plain.parts) {
      const other = find(mirrored, part.key);
      expect(other.at.x + other.at.width - middle, part.key).toBeCloseTo(middle - part.at.x, 6);
      expect(other.at.y, part.key).toBe(part.at.y);
    }
  });

  it('uses the same notation for all counts', () => {
    const { parts } = draw(casts['ten digits']!, query, [320, 640]);
    const counts = parts
      .filter(({ key }) => key.startsWith('count '))
      .map(part => wordsIn({ part, at: part.at }));
    expect(
      new Set(counts.filter(count => count.length > 3).map(count => /\p{L}/u.test(count))).size,
    ).toBeLessThan(2);
  });
});

it('follows the script of the question, unless a language is set', () => {
  const poll = withTexts(knownResults([5, 3]), 'arabic');
  expect(draw(poll, '').isRtl).toBe(true);
  expect(draw(poll, 'lang=de').isRtl).toBe(false);
  expect(draw(knownResults([5, 3]), 'lang=he').isRtl).toBe(true);
  expect(draw(knownResults([5, 3]), '').isRtl).toBe(false);
});

describe('a code', () => {
  it.each([
    ['beside the panel', 'qr=right', HD],
    ['on its left', 'qr=left', HD],
    ['below it', 'qr=right', [540, 960]],
  ] as const)('lies within the safe area, apart from the panel: %s', (_, query, size) => {
    for (const style of styles.filter(style => style !== 'host')) {
      const laid = draw(casts['5 answers']!, `style=${style}&${query}`, size);
      const [plate, card] = ['plate', 'code card'].map(key => laid.parts.find(part => part.key === key));
      expect(laid.hasCode, style).toBe(true);
      const [one, other] = [boxOf(plate!), boxOf(card!)];
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      expect(Math.min(across, down), style).toBeLessThan(0);
      expect(faultsOf(laid, style, size), style).toEqual([]);
    }
  });

  it.each([
    ['right', HD],
    ['right', [1280, 720]],
    ['right', [540, 960]],
    ['left', HD],
  ] as const)('has room for site and join code below it: %s, %s', (qr, size) => {
    for (const joinCode of ['482913', '1482913'])
      for (const style of styles.filter(style => style !== 'host'))
        for (const scene of fullStyles.includes(style) ? ['panel', 'full'] : ['panel']) {
          const look = lookOf(`style=${style}&qr=${qr}&scene=${scene}`, size, {
            code: { ...CODE, joinCode },
          });
          const laid = layOut(casts['5 answers']!, look, NOW_MS);
          const words = (key: string) =>
            atRest(laid)
              .filter(({ part }) => part.key === key)
              .map(wordsIn);
          const faults = faultsOf(laid, style, size);
          expect([style, scene, faults]).toEqual([style, scene, []]);
          if (!laid.hasCode) continue;
          expect(words('address').map(text => text.replace(/[\u200b ]/g, ''))).toEqual(['vote.example.org']);
          expect(words('join code')).toEqual([
            joinCode === '482913' ? '482\u00a0913' : '1\u00a0482\u00a0913',
          ]);
        }
  });

  it('has modules of whole pixels on whole pixels', () => {
    for (const size of [HD, [1366, 768], [1280, 720]] as const) {
      const { parts, unitPx } = draw(casts['5 answers']!, 'qr=right', size);
      const { at } = parts.find(({ key }) => key === 'code')!;
      for (const px of [at.x, at.y, at.width / 37].map(units => units * unitPx))
        expect(px).toBeCloseTo(Math.round(px), 6);
    }
  });
});

it.each([
  ['columns', ['finnish', 'thai', 'japanese', 'arabic']],
  ['ticker', ['german', 'finnish', 'thai']],
] as const)('%s uses free lines before it cuts a word', (style, languages) => {
  for (const script of languages) {
    const poll = withTexts(casts['5 answers']!, script);
    expect([script, draw(poll, `style=${style}&lang=${scripts[script].lang}`).cut]).toEqual([script, []]);
  }
});

describe('the search for layout faults', () => {
  const laid = draw(casts['2 answers']!, '');
  const moved = (key: string, change: Partial<Part['at']>): Laid => ({
    ...laid,
    parts: laid.parts.map(part => (part.key === key ? { ...part, at: { ...part.at, ...change } } : part)),
  });

  it.each([
    ['name a1', { x: 0 }, 'leaves the panel'],
    ['plate', { x: 0 }, 'the panel leaves the safe area'],
    ['name a1', { y: laid.parts.find(({ key }) => key === 'name a2')!.at.y }, 'lies on name a2'],
  ] as const)('finds a fault in %s', (key, change, fault) => {
    expect(faultsOf(laid, 'bars', HD)).toEqual([]);
    expect(faultsOf(moved(key, change), 'bars', HD).join()).toContain(fault);
  });
});
