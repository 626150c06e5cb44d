import { expect, it } from 'vitest';
import type { Laid } from '../../src/picture/draw/lay-out.ts';
import { layOut } from '../../src/picture/draw/lay-out.ts';
import { drawingStyles } from '../../src/picture/styles.ts';
import { layOutStill } from '../../src/still/draw-still.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';
import { HD, lookOf, NOW_MS, type Size } from './drawn.ts';

const WORDS =
  'Which of all these songs should close the show tonight for the audience at home and in the hall of our town'.split(
    ' ',
  );
/** From one word to four lines. */
const QUESTIONS = [1, 6, 11, 16, 22].map(words => `${WORDS.slice(0, words).join(' ')}?`);
const COUNTS = [2, 3, 5, 6, 8, 10, 12, 15, 20];
const STILL: Size = [1200, 630];

function shownIn({ picture, cut, fits }: Laid): number {
  // The question of a strip is cut before it takes all of the line.
  expect({ cut: cut.filter(text => text !== 'title'), fits }).toEqual({ cut: [], fits: true });
  return picture!.slots;
}

const pollOf = (title: string, answers: number) => ({
  ...knownResults(Array.from({ length: answers }, (_, at) => 100 - at)),
  title,
});

const looks = drawingStyles
  .filter(style => style !== 'code')
  .flatMap(style => [`style=${style}`, `style=${style}&scene=full`])
  .filter(query => !/(ticker|host)&/.test(query));

it.each(looks)('shows no more answers under a longer question: %s', query => {
  for (const answers of COUNTS) {
    const onAir = QUESTIONS.map(title => shownIn(layOut(pollOf(title, answers), lookOf(query, HD), NOW_MS)));
    expect([answers, ...onAir]).toEqual([answers, ...onAir.toSorted((one, other) => other - one)]);
    const stills = QUESTIONS.map(title =>
      shownIn(
        layOutStill(pollOf(title, answers), lookOf(query, STILL, { turn: undefined, code: undefined })),
      ),
    );
    expect([answers, ...stills]).toEqual([answers, ...stills.toSorted((one, other) => other - one)]);
  }
});

it.each(['bars', 'bars&scene=full', 'host'])('shows every answer before any is large: %s', style => {
  for (const title of QUESTIONS)
    for (const answers of COUNTS.filter(count => count <= (style === 'host' ? 16 : 10)))
      for (const size of [HD, STILL]) {
        const look = lookOf(`style=${style}`, size, { turn: undefined, code: undefined });
        const laid =
          size === HD
            ? layOut(pollOf(title, answers), look, NOW_MS)
            : layOutStill(pollOf(title, answers), look);
        expect([title, answers, shownIn(laid)]).toEqual([title, answers, answers]);
      }
});
