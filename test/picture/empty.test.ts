import { describe, expect, it } from 'vitest';
import { layOut } from '../../src/picture/draw/lay-out.ts';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import { drawingStyles } from '../../src/picture/styles.ts';
import { LOST_ALPHA } from '../../src/picture/themes.ts';
import { layOutStill } from '../../src/still/draw-still.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { atRest, HD, isWithin, lettersOf, lookOf, NOW_MS, screenOf, wordsIn, wordsOf } from './drawn.ts';

const nothing = knownHidden({ id: '', title: 'Nothing on air', poll_answers: [], status: 'upcoming' });
const closed = { status: 'closed' } as const;
const states: Readonly<Record<string, PollSnapshot>> = {
  'nothing on air': nothing,
  'answers that are not known yet': knownHidden({ poll_answers: [], status: 'upcoming' }),
  'hidden, without answers': knownHidden({ poll_answers: [] }),
  'hidden and closed, without answers': knownHidden({ poll_answers: [], ...closed }),
  'no answers': knownResults([]),
  'closed without answers': knownResults([], closed),
  'no votes': knownResults([0, 0, 0]),
  'closed without votes': knownResults([0, 0, 0], closed),
  'one answer': knownResults([0]),
  'one answer that wins': knownResults([7], closed),
  'all votes removed': knownResults([0, 0, 0], { voided_votes: 12 }),
  'closed with all votes removed': knownResults([0, 0, 0], { voided_votes: 12, ...closed }),
  upcoming: knownResults([0, 0], { status: 'upcoming' }),
};
const around = { away: false, next: 'Another question' };

const looks = drawingStyles
  .filter(style => style !== 'code')
  .flatMap(style => (['ticker', 'host'].includes(style) ? [style] : [style, `${style}&scene=full`]));

describe.each(looks)('%s', style => {
  it.each(Object.entries(states))('says in words what there is: %s', (_, poll) => {
    for (const lang of ['en', 'ar', 'ja'])
      for (const size of [HD, [1200, 630], [400, 800]] as const) {
        const look = lookOf(`style=${style}&lang=${lang}&voided=1`, size, { around });
        for (const laid of [layOut(poll, look, NOW_MS), layOutStill(poll, { ...look, turn: undefined })]) {
          const words = wordsOf(laid).join(' ');
          expect(words).toContain(poll.title);
          // A negative count, or one of nothing.
          expect(words).not.toMatch(/(?:^|\s|\u200e)[-−]\d|NaN|undefined|Infinity/);
          expect(words.includes('Another question')).toBe(style === 'host');
          expect(laid).toMatchObject({ fits: true, cut: [] });
          const outside = atRest(laid)
            .filter(one => wordsIn(one) !== '')
            .filter(({ part }) =>
              lettersOf(part, laid.isRtl).some(box => !isWithin(box, screenOf(laid, size), 0)),
            );
          expect(outside.map(wordsIn)).toEqual([]);
        }
      }
  });

  it('dims no answer where none has won', () => {
    const alphas = (poll: PollSnapshot) =>
      atRest(layOut(poll, lookOf(`style=${style}`, HD), NOW_MS)).map(({ at }) => at.alpha);
    for (const state of ['closed without votes', 'closed with all votes removed'])
      expect(alphas(states[state]!)).not.toContain(LOST_ALPHA);
  });

  it('waits for no first vote after votes were removed', () => {
    const words = (state: string) => wordsOf(layOut(states[state]!, lookOf(`style=${style}`, HD), NOW_MS));
    expect(words('no votes')).toContain('Waiting for the first vote');
    expect(words('all votes removed')).not.toContain('Waiting for the first vote');
    expect(words('all votes removed')).toContain('0 votes');
  });
});

it('says the state of a poll without answers, and none where there is no poll', () => {
  const words = (poll: PollSnapshot) => wordsOf(layOut(poll, lookOf('style=host', HD, { around }), NOW_MS));
  expect(words(nothing)).toEqual(['Nothing on air', 'Next poll', 'Another question']);
  expect(words(states['answers that are not known yet']!)).toContain('VOTING OPENS SOON');
});
