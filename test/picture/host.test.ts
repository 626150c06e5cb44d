import { expect, it } from 'vitest';
import { layOut } from '../../src/picture/draw/lay-out.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';
import { boxOf, draw, HD, isWithin, lookOf, NOW_MS, overlap, safeAreaOf, wordsOf } from './drawn.ts';

/** What a presenter reads, and what tells close results apart. */

it('has the time that is left in the largest type of a presenter’s screen, and then what comes next', () => {
  const poll = knownResults([3, 2, 1], { deadline: new Date(NOW_MS + 83_000).toISOString() });
  const look = lookOf('style=host', HD, { around: { away: false, next: 'Best dress?' } });
  const { parts } = layOut(poll, look, NOW_MS);
  const sizeOf = (key: string) => {
    const { shape } = parts.find(one => one.key === key)!;
    return 'font' in shape ? shape.font.size : 0;
  };
  const others = parts.flatMap(({ key, shape }) =>
    'font' in shape && key !== 'time' && !key.startsWith('next') ? shape.font.size : [],
  );
  expect(sizeOf('time')).toBeGreaterThan(1.2 * Math.max(...others));
  expect(sizeOf('next')).toBeLessThan(sizeOf('time'));
  const words = parts.map(({ shape, at }) => (shape.kind === 'figure' ? shape.format(at.value) : ''));
  expect(words).toContain('1:23');
});

it('says the lead in votes where decimals leave the first two equal', () => {
  const lead = (votes: readonly number[], query = '') =>
    wordsOf(draw(knownResults(votes, { status: 'closed' }), query)).filter(words => words.startsWith('Lead'));
  expect(lead([500_004, 499_996])).toEqual(['Lead: 8 votes']);
  expect(lead([500_004, 499_996], 'values=count')).toEqual([]);
  expect([lead([5_004, 4_996]), lead([2, 2]), lead([60, 40])]).toEqual([[], [], []]);
});

it('has the mark of a rehearsal within the margins, and never on the state', () => {
  const places = ['', 'align=right&valign=top', 'valign=top', 'align=center&valign=middle'];
  for (const look of ['style=host', 'scene=full', ...places, ...places.map(place => `style=ticker&${place}`)])
    for (const size of [HD, [1080, 1920], [1280, 720]] as const) {
      const laid = draw(knownResults([5, 3, 2]), `${look}&rehearsal=1`, size);
      const boxOfPart = (key: string) => boxOf(laid.parts.find(one => one.key === key)!);
      const mark = boxOfPart('rehearsal');
      expect(isWithin(mark, safeAreaOf(laid, size)), look).toBe(true);
      expect(overlap(mark, boxOfPart('state')), look).toBe(false);
    }
});
