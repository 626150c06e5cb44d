import { describe, expect, it } from 'vitest';
import { Film, type Motion, STILL, times } from '../../src/picture/draw/film.ts';
import { type Box, boxAt, type Part, type Shape } from '../../src/picture/draw/part.ts';
import { entranceDelays, revealDelays } from '../../src/picture/draw/timing.ts';

const CHANGE: Motion = { kind: 'change', speed: 1 };
const BOX: Shape = { kind: 'box', fill: { color: '#123456' }, radius: 0 };

function box(x: number, more: Partial<Part> = {}): Part {
  return { key: 'box', shape: BOX, at: boxAt(x, 0, 100, 10), order: 0, ...more };
}

function plate(height: number): Part {
  const shape = {
    kind: 'plate',
    color: '#000000',
    edge: '#000000',
    accent: '#ffffff',
    radius: 0,
    rim: 'plain',
  } as const;
  return { key: 'plate', shape, at: boxAt(0, 0, 100, height), order: 0 };
}

function text(words: string, more: Partial<Part> = {}): Part {
  const shape: Shape = {
    kind: 'text',
    lines: [words],
    font: { size: 30, weight: 600 },
    lineHeight: 36,
    color: '#ffffff',
    align: 'start',
  };
  return { key: 'text', shape, at: boxAt(0, 0, 100, 36), order: 1, ...more };
}

function figure(value: number, more: Partial<Part> = {}): Part {
  const shape: Shape = {
    kind: 'figure',
    font: { size: 30, weight: 600 },
    color: '#ffffff',
    align: 'end',
    format: shown => `${Math.round(shown)}`,
  };
  return { key: 'figure', shape, at: boxAt(0, 0, 100, 36, { value }), order: 1, ...more };
}

function filmOf(...parts: Part[]): Film {
  const film = new Film();
  film.show(parts, 0, STILL);
  return film;
}

function placeOf(film: Film, nowMs: number, key: string): Box | undefined {
  return film.at(nowMs).findLast(({ part }) => part.key === key)?.at;
}

/** Opacity of each text in a film, by its words. */
function alphas(film: Film, nowMs: number): Record<string, number> {
  return Object.fromEntries(
    film.at(nowMs).map(({ part, at }) => [part.shape.kind === 'text' ? part.shape.lines[0] : '', at.alpha]),
  );
}

describe('a film', () => {
  it('shows a still at once, and nothing moves after it', () => {
    const film = filmOf(box(0), text('before'));
    film.show([box(50), text('after')], 100, STILL);
    expect(film.at(100).map(({ at }) => [at.x, at.alpha])).toEqual([
      [50, 1],
      [0, 1],
    ]);
    expect(alphas(film, 100)).toEqual({ '': 1, after: 1 });
    expect(film.nextMs(100)).toBe(Number.POSITIVE_INFINITY);
    expect(film.endMs).toBe(100);
  });

  it('is empty before its first picture', () => {
    const film = new Film();
    expect(film.at(0)).toEqual([]);
    expect([film.boundsAt(0), film.nextMs(0), film.endMs]).toEqual([
      undefined,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
  });

  it('moves what changes, and ends it exactly there', () => {
    const film = filmOf(box(0));
    film.show([box(80)], 1000, CHANGE);
    const xs = [1000, 1100, 1200, 1000 + times.change].map(ms => placeOf(film, ms, 'box')!.x);
    expect(xs[0]).toBe(0);
    expect(xs).toEqual([...xs].sort((one, other) => one - other));
    expect(new Set(xs).size).toBe(4);
    expect(xs[3]).toBe(80);
    expect(film.endMs).toBe(1000 + times.change);
  });

  it('takes half the time at twice the speed', () => {
    const film = filmOf(box(0));
    film.show([box(80)], 0, { kind: 'change', speed: 2 });
    expect(film.endMs).toBe(times.change / 2);
  });

  it('retargets a change from where the part is', () => {
    const film = filmOf(box(0));
    film.show([box(80)], 0, CHANGE);
    const { x } = placeOf(film, 100, 'box')!;
    film.show([box(-40)], 100, CHANGE);
    expect(placeOf(film, 100, 'box')!.x).toBe(x);
    expect(placeOf(film, 101, 'box')!.x).toBeLessThan(x);
    expect(placeOf(film, 100 + times.change, 'box')!.x).toBe(-40);
  });

  it('does not start a movement again for an equal picture', () => {
    const film = filmOf(box(0));
    film.show([box(80)], 0, CHANGE);
    film.show([box(80)], 200, CHANGE);
    expect(film.endMs).toBe(times.change);
  });

  it('runs figures up with their bars', () => {
    const film = filmOf(figure(10));
    film.show([figure(20)], 0, CHANGE);
    const { value } = placeOf(film, 100, 'figure')!;
    expect(value).toBeGreaterThan(10);
    expect(value).toBeLessThan(20);
    expect(placeOf(film, times.change, 'figure')!.value).toBe(20);
  });

  it('changes what is read out, then in: never two texts in one frame', () => {
    const film = filmOf(text('before'));
    film.show([text('after')], 0, CHANGE);
    expect(alphas(film, 0)).toEqual({ before: 1 });
    for (let ms = 0; ms < times.out + times.in; ms += 10)
      expect(Object.keys(alphas(film, ms)).length).toBeLessThanOrEqual(1);
    expect(alphas(film, times.out + times.in)).toEqual({ after: 1 });
  });

  it('keeps an equal text, so that it does not flicker', () => {
    const film = filmOf(text('same'));
    film.show([text('same', { at: boxAt(0, 40, 100, 36) })], 0, CHANGE);
    expect([0, 50, 100, 400].map(ms => film.at(ms).map(({ at }) => at.alpha))).toEqual([[1], [1], [1], [1]]);
  });

  it('takes the new color of a box at once, and that of a bar when the old one has left', () => {
    const red = { color: '#ff0000' };
    const bar = (color: string): Part =>
      box(0, { key: 'bar', shape: { kind: 'bar', fill: { color }, radius: 0 } });
    const film = filmOf(box(0), bar('#00ff00'));
    film.show([box(0, { shape: { kind: 'box', fill: red, radius: 0 } }), bar('#ff0000')], 0, CHANGE);
    expect(film.at(100).map(({ part }) => part.key)).toEqual(['bar', 'box']);
    expect(film.at(times.out + times.in).map(({ part }) => part.shape)).toContainEqual({
      kind: 'bar',
      fill: red,
      radius: 0,
    });
  });

  it('fades what leaves, and forgets it', () => {
    const film = filmOf(box(0), text('gone'));
    film.show([box(0)], 0, CHANGE);
    const fading = [0, 50, 100].map(ms => placeOf(film, ms, 'text')!.alpha);
    expect(fading[0]).toBe(1);
    expect(fading).toEqual([...fading].sort((one, other) => other - one));
    expect(film.at(times.out).map(({ part }) => part.key)).toEqual(['box']);
    film.show([box(0)], times.out + 1, CHANGE);
    expect(film.nextMs(times.out + 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it('lets a poll leave, then its box change, then the next one enter', () => {
    const content = (words: string) => text(words, { isContent: true });
    const film = filmOf(plate(100), content('before'));
    film.show([plate(50), content('after')], 0, { kind: 'enter', speed: 1 });
    const heights = [0, times.leave, times.leave + times.resize].map(
      ms => placeOf(film, ms, 'plate')!.height,
    );
    expect(heights).toEqual([100, 100, 50]);
    const read = (ms: number) => Object.keys(alphas(film, ms)).filter(words => words !== '');
    expect([0, times.leave, times.leave + times.resize - 1].map(read)).toEqual([['before'], [], []]);
    expect(read(times.leave + times.resize + 10)).toEqual(['after']);
    expect(film.endMs).toBe(times.leave + times.resize + times.enter);
  });

  it('never counts from one poll to another', () => {
    const film = filmOf(figure(1_090, { isContent: true }));
    film.show([figure(410, { isContent: true })], 0, { kind: 'enter', speed: 1 });
    const shown = Array.from({ length: 80 }, (_, at) => placeOf(film, at * 10, 'figure')?.value);
    expect(new Set(shown)).toEqual(new Set([1_090, undefined, 410]));
  });

  it('keeps each motion where it is when the picture is drawn again in another size', () => {
    const film = filmOf();
    const late = (x: number) => box(x, { key: 'late', row: 'l' });
    film.show([late(80)], 0, { kind: 'reveal', speed: 1, delayMs: () => 2_000 });
    film.show([late(78), box(0, { key: 'logo' })], 700, { kind: 'redraw', speed: 1 });
    expect(film.at(1_900).map(({ part }) => part.key)).toEqual([]);
    expect(placeOf(film, 2_000 + times.rise, 'late')).toMatchObject({ x: 78, alpha: 1 });
    const moving = filmOf(box(0));
    moving.show([box(80)], 0, CHANGE);
    const { x } = placeOf(moving, 100, 'box')!;
    moving.show([box(90)], 100, { kind: 'redraw', speed: 1 });
    expect(placeOf(moving, 100, 'box')!.x).toBe(x + 10);
    expect(moving.endMs).toBe(times.change);
  });

  it('lets a part enter from its own place', () => {
    const film = filmOf();
    film.show([box(80, { from: { x: 0, alpha: 0 } })], 0, CHANGE);
    expect(film.at(0)).toEqual([]);
    const { x, alpha } = placeOf(film, 100, 'box')!;
    expect([x > 0, x < 80, alpha > 0, alpha < 1]).toEqual([true, true, true, true]);
    expect(film.endMs).toBe(times.rise);
  });

  it.each(['enter', 'reveal'] as const)('keeps the turn of a part when a vote arrives during: %s', kind => {
    const delays: Record<string, number> = { one: 200, two: 600 };
    const row = (key: string, value: number) =>
      figure(value, { key, row: key, isOfRow: true, isContent: true, from: { value: 0, alpha: 0 } });
    const film = filmOf();
    const opensMs = kind === 'enter' ? times.resize : 0;
    const delayMs = (key: string) => delays[key]! - opensMs;
    film.show([row('one', 5), row('two', 9)], 0, { kind, speed: 1, delayMs });
    // The first is on its way, and the second waits.
    film.show([row('one', 6), row('two', 12)], 300, CHANGE);
    expect(placeOf(film, 301, 'one')!.value).toBeGreaterThan(0);
    expect(film.at(599).map(({ part }) => part.key)).toEqual(['one']);
    expect(placeOf(film, 700, 'two')!.value).toBeGreaterThan(0);
    expect(placeOf(film, 600 + times.rise, 'two')).toMatchObject({ value: 12, alpha: 1 });
    expect(film.endMs).toBe(600 + (kind === 'reveal' ? times.rise : times.enter));
  });

  it('sends rows off and lets them come back in a reveal, while all else stays', () => {
    const row = text('answer', { key: 'row', row: 'r', isOfRow: true });
    const film = filmOf(text('title'), row);
    film.show([text('title'), row], 0, { kind: 'reveal', speed: 1, delayMs: () => 1000 });
    expect(alphas(film, 0)).toEqual({ title: 1, answer: 1 });
    expect(alphas(film, times.out)).toEqual({ title: 1 });
    expect(alphas(film, 999)).toEqual({ title: 1 });
    expect(alphas(film, times.out + 1000 + times.enter)).toEqual({ title: 1, answer: 1 });
  });

  it('keeps an old text until its successor has its turn', () => {
    const film = filmOf(text('open', { row: 'r' }));
    film.show([text('final', { row: 'r' })], 0, { kind: 'reveal', speed: 1, delayMs: () => 1000 });
    expect(alphas(film, 999)).toEqual({ open: 1 });
    expect(alphas(film, 1000 + times.out + times.in)).toEqual({ final: 1 });
  });

  it('passes a row on a card of its own, in front of the rows that it passes', () => {
    const row = (id: string, rank: number): Part[] => {
      const onCard = { row: id, isOfRow: true, isOnCard: true, order: rank };
      const card = { kind: 'card', color: '#000000', edge: '#ffffff', radius: 0, growth: 1.05 } as const;
      const at = boxAt(0, rank * 50, 100, 40, { alpha: 0 });
      return [
        { key: `card ${id}`, shape: card, at, rank, ...onCard },
        text(id, { key: `name ${id}`, at: boxAt(0, rank * 50, 100, 40), ...onCard }),
      ];
    };
    const film = filmOf(...row('first', 0), ...row('second', 1), ...row('third', 2));
    film.show([...row('third', 0), ...row('first', 1), ...row('second', 2)], 0, CHANGE);
    const drawn = film.at(times.lift + 100);
    expect(drawn.at(-1)!.part.key).toBe('name third');
    expect(drawn.at(-1)!.at.scale).toBeCloseTo(1.05, 2);
    expect(drawn.filter(({ part }) => part.shape.kind === 'card').map(({ at }) => at.alpha)).toEqual([
      1, 1, 1,
    ]);
    expect(alphas(film, times.lift + 100)).toMatchObject({ first: 0.35, second: 0.35, third: 1 });
    expect(film.endMs).toBe(times.lift + times.slide + times.settle);
    expect(film.at(film.endMs).map(({ at }) => [at.alpha, at.scale])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  it('orders parts from back to front', () => {
    const film = filmOf(box(0, { key: 'front', order: 3 }), box(0, { key: 'back', order: -1 }));
    expect(film.at(0).map(({ part }) => part.key)).toEqual(['back', 'front']);
  });

  it('says when something moves next, and is at rest in between', () => {
    const film = filmOf();
    const [early, late] = [box(0, { key: 'early', row: 'e' }), box(0, { key: 'late', row: 'l' })];
    film.show([early, late], 0, { kind: 'reveal', speed: 1, delayMs: row => (row === 'l' ? 2000 : 0) });
    expect(film.nextMs(100)).toBe(100);
    expect(film.nextMs(times.rise)).toBe(2000);
    expect(film.nextMs(2100)).toBe(2100);
    expect(film.endMs).toBe(2000 + times.rise);
    expect(film.nextMs(film.endMs)).toBe(Number.POSITIVE_INFINITY);
  });

  it('has bounds that hold everything until the last movement ends, and nothing that has left', () => {
    const film = filmOf(box(0), text('gone', { at: boxAt(500, 500, 10, 10) }));
    film.show([box(300, { at: boxAt(300, 0, 100, 10) })], 0, CHANGE);
    expect(film.boundsAt(0)).toEqual({ x: 0, y: 0, width: 510, height: 510 });
    film.show([], 5000, CHANGE);
    expect(film.boundsAt(5000 + times.out)).toBeUndefined();
    film.show([box(300, { at: boxAt(300, 0, 100, 10) })], 5000, STILL);
    expect(film.boundsAt(5000)).toEqual({ x: 300, y: 0, width: 100, height: 10 });
  });
});

/** Rows of a picture with these votes, in this order. Each is named by its place. */
function rowsOf(...votes: number[]) {
  return votes.map((count, at) => ({ id: `${at}`, votes: count }));
}

function delaysOf(votes: readonly number[], speed: number, pauseMs: number): number[] {
  return [...revealDelays(rowsOf(...votes), speed, pauseMs).values()];
}

describe('the order of a reveal', () => {
  it('goes from the last place to the first, with a pause before those with the most votes', () => {
    const [winner = 0, second = 0, third = 0] = delaysOf([9, 5, 2], 1, 1200);
    expect([third, second, winner]).toEqual([0, 320, 320 + times.rise + 1200]);
  });

  it('goes by votes where the rows are in the order of the poll', () => {
    const [third = 0, first = 0, second = 0] = delaysOf([2, 9, 5], 1, 0);
    expect([third, second, first]).toEqual([third, second, first].sort((one, other) => one - other));
  });

  it('shows all that share the first place together', () => {
    const [one = 0, other = 0, last = 0] = delaysOf([7, 7, 1], 1, 3000);
    expect(one).toBe(other);
    expect(one).toBe(last + times.rise + 3000);
  });

  it.each([[[4]], [[4, 4]]])('has no pause where nothing precedes a winner: %j', votes => {
    expect(new Set(delaysOf(votes, 1, 9000))).toEqual(new Set([0]));
  });

  it('has no pause where there is no winner', () => {
    expect(Math.max(...delaysOf([0, 0, 0], 1, 9000))).toBeLessThan(2000);
  });

  it.each([2, 3, 5, 20, 100])('completes the second place of %i within two seconds', count => {
    const votes = Array.from({ length: count }, (_, at) => count - at);
    const delays = delaysOf(votes, 1, 5000);
    expect(delays[1]! + times.rise).toBeLessThanOrEqual(2000);
    expect(delays[0]! - delays[1]! - times.rise).toBe(5000);
    expect([...delays].sort((one, other) => other - one)).toEqual(delays);
  });

  it('moves faster at a higher speed, with the same pause', () => {
    const [winner = 0, second = 0] = delaysOf([9, 5, 2], 2, 1200);
    expect(second).toBe(320 / 2);
    expect(winner - second).toBe(times.rise / 2 + 1200);
  });
});

it('lets rows enter one after the other', () => {
  expect([...entranceDelays(rowsOf(9, 5, 2), 1).values()]).toEqual([0, 40, 80]);
  expect([...entranceDelays(rowsOf(9, 5), 2).values()]).toEqual([0, 20]);
});
