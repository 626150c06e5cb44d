import { describe, expect, it } from 'vitest';
import { Film, STILL } from '../../src/picture/draw/film.ts';
import { type Laid, layOut } from '../../src/picture/draw/lay-out.ts';
import type { Part } from '../../src/picture/draw/part.ts';
import { revealMotion } from '../../src/picture/draw/timing.ts';
import { levelled, type PollSnapshot } from '../../src/picture/picture.ts';
import { drawingStyles, styleTraits } from '../../src/picture/styles.ts';
import { seededRandom } from '../../src/poll/rehearsal.ts';
import { revealedAnswers } from '../../src/poll/reveal-steps.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import {
  atRest,
  boxOf,
  draw,
  HD,
  isWithin,
  lettersOf,
  lookOf,
  NOW_MS,
  overlapsIn,
  pixelsOf,
  type Size,
  wordsIn,
  wordsOf,
} from './drawn.ts';

/** Reveals by steps: places come one by one, the lowest first. */

const styles = drawingStyles.filter(style => style !== 'code');
/** Styles that list all answers. */
const lists = styles.filter(style => style !== 'versus' && style !== 'big-number');
const SMALL: Size = [480, 270];
const VOTES = [469, 1126, 548, 88];
const closed = { status: 'closed' } as const;
const final = knownResults(VOTES, closed);

/** What viewers get of a closed poll whose places are shown down from the last one to this. */
function stepped(votes: readonly number[], revealedFrom: number): PollSnapshot {
  const { poll_answers, total_votes, total_voters } = knownResults(votes);
  const revealed = revealedAnswers({ votes, revealedFrom });
  const answers = poll_answers.map(({ votes: _, ...answer }, at) => ({ ...answer, ...revealed[at] }));
  const shown = { revealed_from: revealedFrom, total_votes, total_voters };
  return knownHidden({ ...closed, poll_answers: answers, ...shown });
}

function keysOf(parts: readonly Part[], name: string): string[] {
  return parts.flatMap(({ key }) => (key.startsWith(`${name} `) ? [key.slice(name.length + 1)] : []));
}

/** The frames from one picture to the next, with the start of the motion at 0. */
function filmOf(before: PollSnapshot, after: PollSnapshot, style: string, isLevel = false, size: Size = HD) {
  const [old, made] = [before, after].map(poll => draw(poll, `style=${style}`, size)) as [Laid, Laid];
  const film = new Film();
  film.show(old.parts, 0, STILL);
  const level = levelled(after, before.revealed_from);
  const shown = level ? draw(level, `style=${style}`, size) : made;
  const { motion, holdMs } = revealMotion(old.picture, shown.picture, 1, 1_200);
  film.show(shown.parts, 0, motion);
  if (level && !isLevel) film.show(made.parts, holdMs, { kind: 'change', speed: 1 });
  return film;
}

describe.each(lists)('%s', style => {
  it('shows figures of revealed answers only, and the total', () => {
    const words = wordsOf(draw(stepped(VOTES, 3), `style=${style}&values=percent`, [1920, 1080]));
    expect(words.filter(text => text.endsWith('%')).sort()).toEqual(['21%', '4%']);
    expect(words).toEqual(expect.arrayContaining(['Answer 1', 'Answer 2', 'Answer 3', 'Answer 4']));
    expect(words).toEqual(expect.arrayContaining(['2,231 votes', 'RESULTS TO FOLLOW']));
  });

  it('has empty frames in the order of the poll, and below them what is revealed, by its places', () => {
    const { parts } = draw(stepped(VOTES, 3), `style=${style}&values=percent`);
    expect(keysOf(parts, 'frame')).toEqual(['a2', 'a3']);
    expect(keysOf(parts, 'name')).toEqual(['a2', 'a3', 'a1', 'a4']);
  });

  it('keeps a length of its own for each count', () => {
    const lengths = (votes: readonly number[]) =>
      draw(stepped(votes, 2), `style=${style}`)
        .parts.filter(({ key }) => /^(bar|part) a[12]$/.test(key))
        .map(({ at }) => at.value);
    // The third answer has half of all votes in one poll, and a tie with the second in the other.
    const [one, other] = [lengths([10, 40, 50, 100]), lengths([10, 40, 75, 75])];
    expect(other).toEqual(one);
  });
});

describe.each(styles)('%s', style => {
  it('has the same pixels while only hidden counts differ, also on the way from step to step', () => {
    const random = seededRandom(7);
    const upTo = (most: number) => Math.floor(random() * (most + 1));
    for (let pair = 0; pair < 12; pair++) {
      const shown = Array.from({ length: 1 + upTo(3) }, () => upTo(9));
      const least = 1 + Math.max(...shown);
      const spare = 2 + upTo(30);
      const split = upTo(spare);
      const histories = [
        [least + split, ...shown, least + spare - split],
        [least + spare, ...shown, least],
      ];
      const [one, other] = histories.map(votes => {
        const film = new Film();
        const steps = votes.slice(1, -1).map(count => 1 + votes.filter(more => more > count).length);
        const places = [...new Set(steps)].sort((a, b) => b - a);
        let before = draw(knownHidden({ ...closed }), `style=${style}`, SMALL);
        film.show(before.parts, 0, STILL);
        return places.map((place, step) => {
          const laid = draw(stepped(votes, place), `style=${style}`, SMALL);
          film.show(laid.parts, step * 300, revealMotion(before.picture, laid.picture, 1, 1_200).motion);
          before = laid;
          return Buffer.from(pixelsOf(film.at(step * 300 + 200), laid, SMALL, '#456').data);
        });
      });
      expect(one!.length).toBe(other!.length);
      expect(one!.every((frame, at) => frame.equals(other![at]!))).toBe(true);
    }
  });
});

describe('a step', () => {
  it('opens place and row on a plate, in front of all others, and takes it to its line in 1.2 s; no row is ever gone', () => {
    const film = filmOf(stepped(VOTES, 4), stepped(VOTES, 3), 'bars');
    const partAt = (ms: number, key: string) => film.at(ms).find(({ part }) => part.key === key);
    for (let ms = 0; ms < 1_600; ms += 40) {
      for (const row of ['a1', 'a2', 'a3', 'a4'])
        expect(film.at(ms).some(({ part }) => [`name ${row}`, `step name ${row}`].includes(part.key))).toBe(
          true,
        );
      const isOpen = ms < 1_180;
      expect(partAt(ms, 'step plate a1') !== undefined, `${ms} ms`).toBe(isOpen);
    }
    expect(film.at(300).slice(-4).map(wordsIn)).toEqual(['', '3', 'Answer 1', '21%']);
    const row = partAt(0, 'name a2')!.at.height;
    expect(partAt(300, 'step plate a1')!.at.height).toBeCloseTo(1.2 * row);
    expect(partAt(300, 'percent a1')).toBeUndefined();
    expect(partAt(1_200, 'percent a1')!.at).toMatchObject({ value: 21 });
    expect(film.at(1_200).some(({ part }) => part.key.startsWith('step '))).toBe(false);
  });

  it.each([
    ['columns', HD],
    ['columns&scene=full', HD],
    ['ticker', HD],
    ['bars&scene=strap', HD],
    ['bars', [1080, 1920]],
  ] as const)('opens place, whole name and figure on a plate: %s', (style, size) => {
    const film = filmOf(stepped(VOTES, 4), stepped(VOTES, 3), style, false, size);
    const shown = film.at(300).filter(({ part }) => part.key.startsWith('step '));
    expect(shown.map(wordsIn)).toEqual(['', '3', 'Answer 1', '21%']);
    const [plate, ...words] = shown.map(({ part, at }) => ({ part: { ...part, at }, box: boxOf(part, at) }));
    for (const { part, box } of words) {
      expect(isWithin(box, plate!.box), part.key).toBe(true);
      for (const letters of lettersOf(part, false)) expect(isWithin(letters, plate!.box)).toBe(true);
    }
    expect(overlapsIn(words.flatMap(({ part }) => lettersOf(part, false).map(box => ({ box }))))).toEqual([]);
    expect(film.at(1_300).some(({ part }) => part.key.startsWith('step '))).toBe(false);
  });

  it.each(['bars', 'donut'])(
    'leaves two frames that are larger, equally, while all else is dimmed: %s',
    style => {
      const { parts } = draw(stepped(VOTES, 3), `style=${style}`);
      const names = parts.filter(({ key }) => key.startsWith('name '));
      const [one, other, ...rest] = names.map(({ at }) => [at.scale, at.alpha]);
      expect(other).toEqual(one);
      expect(one![0]).toBeGreaterThan(1.05);
      expect(one![1]).toBe(1);
      for (const [scale, alpha] of rest) expect([scale, alpha! < 1]).toEqual([1, true]);
      const quiet = draw(stepped(VOTES, 4), `style=${style}`).parts.filter(({ key }) =>
        key.startsWith('name '),
      );
      expect(quiet.map(({ at }) => at.alpha === 1)).toEqual([false, false, false, true]);
    },
  );

  it('takes figures back when it is undone', () => {
    const [before, after] = [draw(stepped(VOTES, 3), ''), draw(stepped(VOTES, 4), '')];
    const film = new Film();
    film.show(before.parts, 0, STILL);
    film.show(after.parts, 0, { kind: 'change', speed: 1 });
    expect(film.at(1_000).map(({ part }) => part.key)).toEqual(atRest(after).map(({ part }) => part.key));
  });
});

describe('the last step', () => {
  it.each(styles.filter(style => !styleTraits[style].isOffAir))(
    'names the winner, and nobody before: %s',
    style => {
      const words = wordsOf(draw(stepped(VOTES, 2), `style=${style}`)).join();
      expect(words).not.toMatch(/Winner|FINAL/);
      const film = filmOf(stepped(VOTES, 2), final, style);
      const said = (ms: number) => film.at(ms).map(wordsIn);
      expect(said(100)).not.toContain('Winner');
      expect(said(10_000)).toEqual(expect.arrayContaining(['Winner', 'FINAL RESULTS']));
      expect(film.at(10_000).filter(({ part }) => /^frame /.test(part.key))).toEqual([]);
    },
  );

  it.each(styles.filter(style => style !== 'big-number'))('lets two places rise level: %s', style => {
    const film = filmOf(stepped(VOTES, 3), final, style, true);
    for (let ms = 0; ms < 4_000; ms += 40) {
      const shown = (name: string) =>
        film.at(ms).filter(({ part }) => [`${name} a2`, `${name} a3`].includes(part.key));
      for (const name of ['percent', 'count'])
        expect(new Set(shown(name).map(({ at }) => at.value)).size).toBeLessThanOrEqual(1);
      for (const name of ['bar', 'part'])
        expect(new Set(shown(name).map(({ at }) => Math.abs(at.value))).size).toBeLessThanOrEqual(1);
      // The order of the poll says nothing.
      if (style === 'versus' || style === 'ticker') continue;
      expect(
        film
          .at(ms)
          .filter(({ part }) => /^name a[23]$/.test(part.key))
          .map(({ part }) => part.row),
      ).toEqual(['a2', 'a3']);
    }
  });
});

describe('a presenter’s screen', () => {
  it('has all figures with the key, and marks what viewers see', () => {
    const withKey = knownResults(VOTES, { ...closed, results_visibility: 'hidden', revealed_from: 3 });
    const { parts } = draw(withKey, 'style=host');
    expect(keysOf(parts, 'percent')).toHaveLength(4);
    const marked = parts.filter(part => wordsIn({ part, at: part.at }) === 'Shown');
    expect(marked.map(({ row }) => row)).toEqual(['a1', 'a4']);
    const words = wordsOf(draw(withKey, 'style=host'));
    expect(words).toEqual(expect.arrayContaining(['HIDDEN · 2 OF 4 SHOWN', 'Next']));
    expect(words.join()).not.toMatch(/FINAL|Winner/);
    expect(words).toContain('2. \u2068Answer 3\u2069 25% · 1. \u2068Answer 2\u2069 50%');
    expect(keysOf(parts, 'lock')).toEqual(['a2', 'a3']);
    const first = knownResults(VOTES, { ...closed, results_visibility: 'hidden' });
    expect(wordsOf(draw(first, 'style=host'))).toContain('4. \u2068Answer 4\u2069 4%');
    expect(wordsOf(draw(withKey, 'style=bars'))).not.toContain('Shown');
    expect(wordsOf(draw(final, 'style=host'))).not.toContain('Shown');
    expect(wordsOf(draw(final, 'style=host'))).toEqual(expect.arrayContaining(['FINAL RESULTS', 'Winner']));
  });
});

it('keeps frames within the panel', () => {
  for (const style of lists.filter(one => !styleTraits[one].isOffAir)) {
    const { parts } = draw(stepped(VOTES, 3), `style=${style}`);
    const plate = boxOf(parts.find(({ key }) => key === 'plate')!);
    for (const part of parts.filter(({ key }) => key.startsWith('frame '))) {
      const { left, right, top, bottom } = boxOf(part);
      expect(left > plate.left && right < plate.right && top > plate.top && bottom < plate.bottom).toBe(true);
    }
  }
});

it('keeps the newest place in view where answers take turns, or are cut', () => {
  const votes = Array.from({ length: 40 }, (_, at) => 100 - at);
  for (const style of lists)
    for (const place of [40, 31, 20, 2])
      for (const turn of [0, 1, undefined]) {
        const laid = layOut(stepped(votes, place), lookOf(`style=${style}`, [1920, 1080], { turn }), NOW_MS);
        expect(keysOf(laid.parts, 'name')).toContain(`a${place}`);
      }
});
