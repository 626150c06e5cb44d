import { describe, expect, it } from 'vitest';
import { type Drawn, Film, type Motion, STILL } from '../../src/picture/draw/film.ts';
import type { Laid } from '../../src/picture/draw/lay-out.ts';
import { entranceDelays, revealDelays } from '../../src/picture/draw/timing.ts';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import { drawingStyles, styleTraits } from '../../src/picture/styles.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { draw, type Size, wordsIn } from './drawn.ts';

/** What is on air moves; a code alone has no question. */
const styles = drawingStyles.filter(style => style !== 'code' && !styleTraits[style].isOffAir);
const sizes: readonly Size[] = [
  [1920, 1080],
  [1280, 720],
  [400, 225],
];
const FRAME_MS = 100;
const PAUSE_MS = 1200;

const VOTES = [1204, 877, 312, 96];
const closed = { status: 'closed' } as const;
/** Of four answers. */
const hidden = {
  poll_answers: knownResults(VOTES).poll_answers.map(({ id, answer, sorting, type }) => ({
    id,
    answer,
    sorting,
    type,
  })),
};

interface Change {
  readonly before: PollSnapshot | undefined;
  readonly after: PollSnapshot | undefined;
  readonly kind: Motion['kind'];
}

const changes: Readonly<Record<string, Change>> = {
  'another poll': {
    before: knownResults(VOTES),
    after: knownResults([12, 30], { id: 'p2', title: 'Another question' }),
    kind: 'enter',
  },
  'a larger poll': {
    before: knownResults([12, 30]),
    after: knownResults([9, 8, 7, 6, 5, 4], {
      id: 'p2',
      title: 'Another question, which is somewhat longer',
    }),
    kind: 'enter',
  },
  'a final poll after an open one': {
    before: knownResults(VOTES),
    after: knownResults([12, 30], { ...closed, id: 'p2', title: 'Another question' }),
    kind: 'enter',
  },
  'a new count': { before: knownResults(VOTES), after: knownResults([1304, 877, 312, 96]), kind: 'change' },
  'a new order': { before: knownResults(VOTES), after: knownResults([1204, 877, 96, 1312]), kind: 'change' },
  'the end, with a winner': {
    before: knownResults(VOTES),
    after: knownResults(VOTES, closed),
    kind: 'change',
  },
  'a reveal': { before: knownHidden(hidden), after: knownResults(VOTES, closed), kind: 'reveal' },
  'a reveal with a tie': {
    before: knownHidden(hidden),
    after: knownResults([900, 900, 312, 96], closed),
    kind: 'reveal',
  },
  'hidden results that are shown': {
    before: knownHidden(hidden),
    after: knownResults(VOTES),
    kind: 'reveal',
  },
  'an arrival': { before: undefined, after: knownResults(VOTES), kind: 'enter' },
  'the arrival of a final poll': { before: undefined, after: knownResults(VOTES, closed), kind: 'enter' },
  'an exit': { before: knownResults(VOTES), after: undefined, kind: 'change' },
};

interface Frame {
  readonly ms: number;
  readonly drawn: readonly Drawn[];
}

function motionOf(kind: Motion['kind'], { picture }: Laid): Motion {
  const rows = picture?.rows ?? [];
  const delays = kind === 'reveal' ? revealDelays(rows, 1, PAUSE_MS) : entranceDelays(rows, 1);
  return { kind, speed: 1, delayMs: row => delays.get(row) ?? 0 };
}

/** The frames from one picture at rest to the next one. */
function strip({ before, after, kind }: Change, query: string, size: Size): Frame[] {
  const film = new Film();
  film.show(before ? draw(before, query, size).parts : [], 0, STILL);
  const laid = after && draw(after, query, size);
  film.show(laid?.parts ?? [], 0, laid ? motionOf(kind, laid) : { kind, speed: 1 });
  const frames: Frame[] = [];
  for (let ms = 0; ms < film.endMs + FRAME_MS; ms += FRAME_MS) frames.push({ ms, drawn: film.at(ms) });
  return frames;
}

/** How far one sees what these parts show, from 0 to 1: of a text that crosses over with another, both count. */
function seen(drawn: readonly Drawn[], shows: (drawn: Drawn) => boolean): number {
  return drawn.filter(shows).reduce((sum, { at }) => sum + at.alpha, 0);
}

const isKey = (key: string) => (drawn: Drawn) => drawn.part.key === key;

function faultsOf({ before, after }: Change, { drawn }: Frame): string[] {
  const faults: string[] = [];
  const plate = seen(drawn, isKey('plate'));
  const title = drawn.filter(isKey('title'));
  const titleAlpha = title.reduce((sum, { at }) => sum + at.alpha, 0);
  const isRead = title.some(({ at }) => at.alpha >= 0.5) || titleAlpha >= 0.9;
  // What comes from nothing, or goes there, has no more of its panel than of its question.
  if (before && after && !isRead) faults.push(`no question can be read: ${titleAlpha.toFixed(2)}`);
  if (before && after && plate < 1) faults.push('the panel fades');
  if (titleAlpha < 0.6 * plate) faults.push('the panel is empty');
  const state = seen(drawn, ({ part }) => part.shape.kind === 'pill');
  if (before && after && state < 0.5) faults.push('no state can be read');
  const final = seen(drawn, one => one.part.shape.kind === 'pill' && wordsIn(one) === 'FINAL RESULTS');
  const winners = after && 'version' in after ? winnersOf(after.poll_answers) : [];
  const named = winners.map(id => seen(drawn, isKey(`name ${id}`)));
  // Of those that share a first place, one name may say all.
  if (after && final > 0.02 + 2 * Math.max(0, ...named)) faults.push('final before the winner is named');
  return faults;
}

function winnersOf(answers: readonly { readonly id: string; readonly votes: number }[]): string[] {
  const most = Math.max(...answers.map(({ votes }) => votes));
  return answers.filter(({ votes }) => votes === most).map(({ id }) => id);
}

describe.each(styles)('%s', style => {
  it.each(Object.keys(changes))('can be read in every frame of: %s', name => {
    const change = changes[name]!;
    const faults = sizes.flatMap(size =>
      strip(change, `style=${style}`, size).flatMap(frame =>
        faultsOf(change, frame).map(fault => `${size.join('x')} at ${frame.ms} ms: ${fault}`),
      ),
    );
    expect(faults).toEqual([]);
  });

  it('ends where a still begins', () => {
    for (const change of Object.values(changes)) {
      const rest = new Film();
      rest.show(change.after ? draw(change.after, `style=${style}`).parts : [], 0, STILL);
      const last = strip(change, `style=${style}`, sizes[0]!).at(-1)!;
      const placesOf = (drawn: readonly Drawn[]) => drawn.map(({ part, at }) => [part.key, at]);
      expect(placesOf(last.drawn)).toEqual(placesOf(rest.at(0)));
    }
  });

  it('names the winner in no frame before the pause of a reveal is over', () => {
    const frames = strip(changes['a reveal']!, `style=${style}`, sizes[0]!);
    const isWinners = (drawn: Drawn) =>
      /^(winner|badge) a1$/.test(drawn.part.key) || wordsIn(drawn) === '48%';
    const shown = frames.filter(({ drawn }) => seen(drawn, isWinners) > 0.05);
    expect(shown.length).toBeGreaterThan(0);
    const others = frames.filter(({ drawn }) => seen(drawn, isKey('percent a2')) >= 1);
    if (others.length === 0) return;
    expect(shown[0]!.ms - others[0]!.ms).toBeGreaterThanOrEqual(PAUSE_MS - FRAME_MS);
  });
});

it('is a test that finds faults', () => {
  const change = changes['another poll']!;
  const [first] = strip(change, '', sizes[0]!);
  const without = (key: string): Frame => ({
    ms: 0,
    drawn: first!.drawn.filter(({ part }) => part.key !== key),
  });
  expect(faultsOf(change, first!)).toEqual([]);
  expect(faultsOf(change, without('title')).join()).toContain('the panel is empty');
  expect(faultsOf(change, without('state'))).toEqual(['no state can be read']);
  expect(faultsOf(change, without('plate'))).toEqual(['the panel fades']);
  const final = changes['the end, with a winner']!;
  const last = strip(final, '', sizes[0]!).at(-1)!;
  const unnamed = { ms: 0, drawn: last.drawn.filter(({ part }) => part.key !== 'name a1') };
  expect(faultsOf(final, unnamed)).toEqual(['final before the winner is named']);
});
