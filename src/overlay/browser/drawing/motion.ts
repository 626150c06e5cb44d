import { setStyle } from './element.ts';

/**
 * How one picture takes the place of another. `still`: at once. `change`: what differs moves from where it is. `enter`: answers
 * come on one after the other, bars and figures from nothing; a picture that comes meanwhile only moves where they are heading.
 */
export type Motion =
  | { readonly kind: 'still' }
  | { readonly kind: 'change'; readonly swapMs: number }
  | Entrance;

export interface Entrance {
  readonly kind: 'enter';
  /** Milliseconds until the answer in this place of so many begins. */
  delayMs(at: number, rows: number): number;
}

export const STILL: Motion = { kind: 'still' };

/** All times are milliseconds at speed 1. */
export const times = {
  /** Bars and figures follow a change of counts. */
  change: 350,
  /** Answers change places. */
  swap: 500,
  /** The plate comes, and an answer on it. */
  appear: 300,
  /** A bar grows from nothing. */
  grow: 600,
  /** Everything goes. */
  leave: 250,
  /** From one answer to the next when a picture comes on. */
  gap: 40,
} as const;

/** In a reveal the first place begins to grow at most so long after the last. */
const REVEAL_MS = 1_300;
const LONGEST_PAUSE_MS = 320;

export function change(speed: number): Motion {
  return speed === 0 ? STILL : { kind: 'change', swapMs: times.swap / speed };
}

/** First place first. */
export function entrance(speed: number): Entrance {
  return { kind: 'enter', delayMs: at => (at * times.gap) / speed };
}

/** Last place first: the winner comes last, within two seconds however many there are. */
export function reveal(speed: number): Entrance {
  return {
    kind: 'enter',
    delayMs: (at, rows) =>
      ((rows - 1 - at) * Math.min(LONGEST_PAUSE_MS, REVEAL_MS / Math.max(1, rows - 1))) / speed,
  };
}

/** How long all of an entrance takes, in milliseconds. */
export function entranceMs({ delayMs }: Entrance, rows: number, speed: number): number {
  return Math.max(delayMs(0, rows), delayMs(rows - 1, rows)) + times.grow / speed;
}

/**
 * Tells `elements` of the answer in this place when they begin to come on, and returns it in milliseconds. A picture that comes
 * while they do so leaves it as it is: another delay would make an animation jump that is under way.
 */
export function delay(
  motion: Motion,
  at: number,
  rows: number,
  elements: readonly (HTMLElement | SVGElement)[],
): number {
  if (motion.kind !== 'enter') return 0;
  const delayMs = motion.delayMs(at, rows);
  for (const element of elements) setStyle(element, '--delay', `${delayMs.toFixed(0)}ms`);
  return delayMs;
}
