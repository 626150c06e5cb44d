import { describe, expect, it } from 'vitest';
import { type Drawn, Film, STILL, times } from '../../src/picture/draw/film.ts';
import { layOut } from '../../src/picture/draw/lay-out.ts';
import { resolveTheme } from '../../src/picture/themes.ts';
import { HD, lookOf, NOW_MS, wordsIn } from './drawn.ts';
import {
  collisionsIn,
  FRAME_MS,
  falseFiguresIn,
  moments,
  movingStyles,
  spillsIn,
  strip,
} from './television.ts';

function framesOf(moment: string, style: string) {
  const { before, after } = moments[moment]!('en');
  return { after, frames: strip(before, after, `style=${style}`, HD) };
}

function seen(drawn: readonly Drawn[], key: RegExp): number {
  return Math.max(0, ...drawn.filter(({ part }) => key.test(part.key)).map(({ at }) => at.alpha));
}

describe.each(movingStyles)('%s', style => {
  it.each(Object.keys(moments))('ends where a still begins: %s', moment => {
    const { after, frames } = framesOf(moment, style);
    const rest = new Film();
    const laid = after.poll && layOut(after.poll, lookOf(`style=${style}`, HD, after.look), NOW_MS);
    rest.show(laid?.parts ?? [], 0, STILL);
    const placesOf = (drawn: readonly Drawn[]) => drawn.map(({ part, at }) => [part.key, at]);
    expect(placesOf(frames.at(-1)!.drawn)).toEqual(placesOf(rest.at(0)));
  });

  it.each(Object.keys(moments).filter(name => !/take|exit/.test(name)))(
    'keeps panel and question: %s',
    moment => {
      for (const { ms, drawn } of framesOf(moment, style).frames)
        expect([ms, seen(drawn, /^plate$/), seen(drawn, /^title$/)]).toEqual([ms, 1, 1]);
    },
  );

  it('has one question at a time, in a box that is never empty for longer than it takes to change', () => {
    for (const moment of ['a take to a larger poll', 'a take to a smaller poll']) {
      const { frames } = framesOf(moment, style);
      const titles = frames.map(({ drawn }) => drawn.filter(({ part }) => part.key === 'title').length);
      expect(Math.max(...titles)).toBe(1);
      expect(titles.filter(count => count === 0).length * FRAME_MS).toBeLessThanOrEqual(280);
    }
  });

  it.each(['a reveal of all', 'a reveal of two', 'the last two places'])(
    'says nothing of the winner before the last two have stood level: %s',
    moment => {
      const { frames } = framesOf(moment, style);
      const isFinal = ({ drawn }: (typeof frames)[number]) =>
        drawn.some(one => wordsIn(one) === 'FINAL RESULTS' || /^(badge|winner)/.test(one.part.key));
      const first = frames.findIndex(isFinal);
      expect(first).toBeGreaterThan(0);
      const best = frames.at(-1)!.rest.find(({ part }) => part.key.startsWith('won '))?.part.row;
      for (const { drawn, ms } of frames.filter(frame => frame.ms <= 2_500)) {
        const figures = drawn.filter(({ part }) => /^(percent|number) /.test(part.key));
        const most = Math.max(0, ...figures.map(({ at }) => at.value));
        const leaders = figures.filter(({ at }) => at.value === most);
        const isAlone = leaders.length === 1 && leaders[0]!.part.row === best && figures.length > 1;
        expect([ms, isAlone && most > 0]).toEqual([ms, false]);
      }
    },
  );
});

it.each([
  ['style=bars', 'style=versus&scene=full&theme=light'],
  ['style=columns&theme=outline', 'style=columns&theme=light'],
  ['style=donut&scene=full&theme=flat', 'style=bars&scene=strap'],
  ['style=ticker&theme=light', 'style=big-number'],
])('lets a poll leave in its own look, which the next one does not take over: %s, %s', (query, nextQuery) => {
  const { before, after } = moments['a take to a larger poll']!('en');
  const { settings } = lookOf(nextQuery, HD);
  const frames = strip(before, { ...after, look: { ...after.look, settings } }, query, HD);
  const [own, next] = [lookOf(query, HD).settings, settings].map(of => JSON.stringify(resolveTheme(of)));
  expect(own).not.toBe(next);
  const ofOwn = ({ part }: Drawn) => JSON.stringify(part.theme) === own;
  const known = new Map(frames[0]!.drawn.filter(ofOwn).map(({ part }) => [part.key, part]));
  for (const { ms, drawn, laid } of frames) {
    const leaving = drawn.filter(ofOwn);
    for (const { part } of leaving) expect([ms, part.shape]).toEqual([ms, known.get(part.key)?.shape]);
    const titles = drawn.filter(({ part }) => part.key === 'title');
    expect([ms, titles.length <= 1, collisionsIn({ drawn })]).toEqual([ms, true, []]);
    const isOver = ms >= times.leave + times.resize;
    expect([ms, isOver && leaving.length > 0]).toEqual([ms, false]);
    if (isOver) expect(spillsIn({ drawn, laid }, HD)).toEqual([]);
  }
});

it('finds the faults that it looks for', () => {
  const { frames } = framesOf('a close with a winner', 'bars');
  const frame = frames.at(-1)!;
  const change = (key: string, change: (drawn: Drawn) => Drawn) => ({
    ...frame,
    drawn: frame.drawn.map(one => (one.part.key === key ? change(one) : one)),
  });
  const { y } = frame.drawn.find(({ part }) => part.key === 'name a1')!.at;
  const down = (drawn: Drawn): Drawn => ({ ...drawn, at: { ...drawn.at, y } });
  expect(collisionsIn(frame)).toEqual([]);
  expect(collisionsIn(change('title', down)).join()).toContain('title');
  expect(
    spillsIn(
      change('state', one => ({ ...one, at: { ...one.at, x: -400 } })),
      HD,
    ),
  ).toEqual(['state is outside its box']);
  const counting = change('won percent a2', one => ({ ...one, at: { ...one.at, value: 12 } }));
  expect(falseFiguresIn(counting)).toEqual(['won percent a2 is not final below a mark']);
});
