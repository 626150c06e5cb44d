import type { PictureRow } from '../../../picture/picture.ts';
import { setStyle } from './element.ts';

/**
 * How a picture replaces the one before. `still`: at once. `change`: differences move from where they are. `enter`: answers
 * appear one after the other, and bars and figures grow from nothing.
 */
export type Motion =
  | { readonly kind: 'still' }
  | { readonly kind: 'change'; readonly swapMs: number }
  | Entrance;

export interface Entrance {
  readonly kind: 'enter';
  /** Returns the delay of each answer. */
  delaysMs(rows: readonly Ranked[]): readonly number[];
}

type Ranked = Pick<PictureRow, 'votes' | 'leads'>;

export const STILL: Motion = { kind: 'still' };

/** In milliseconds at speed 1. */
export const times = {
  /** Bars and figures follow the counts. */
  change: 350,
  swap: 500,
  appear: 300,
  grow: 600,
  leave: 250,
  /** Between two answers of an entrance. */
  gap: 40,
} as const;

/** The delay of the second place in a reveal, and the longest gap between two answers. */
const REVEAL_MS = 1_300;
const LONGEST_GAP_MS = 320;
/** The curve of `--ease` in `stage.css`. */
const EASING = 'cubic-bezier(0.33, 1, 0.68, 1)';

export function change(speed: number): Motion {
  return speed === 0 ? STILL : { kind: 'change', swapMs: times.swap / speed };
}

export function entrance(speed: number): Motion {
  return speed === 0
    ? STILL
    : { kind: 'enter', delaysMs: rows => rows.map((_, at) => (at * times.gap) / speed) };
}

/**
 * Last place first. The second place is complete within two seconds for any number of answers; then comes the pause, then the
 * winner, or all that share the first place. Nothing precedes an only answer, so it has no pause.
 *
 * @param pauseMs at any speed
 */
export function reveal(speed: number, pauseMs: number): Motion {
  return {
    kind: 'enter',
    delaysMs(rows) {
      const others = rows.filter(({ leads }) => !leads).reverse();
      others.sort((one, other) => one.votes - other.votes);
      const last = Math.max(0, others.length - 1);
      const gapMs = Math.min(LONGEST_GAP_MS, REVEAL_MS / Math.max(1, last)) / speed;
      const winnerMs = others.length === 0 ? 0 : last * gapMs + times.grow / speed + pauseMs;
      return rows.map(row => (row.leads ? winnerMs : others.indexOf(row) * gapMs));
    },
  };
}

/** Returns the delay of each answer in milliseconds: 0 unless they enter. */
export function delaysOf(motion: Motion, rows: readonly Ranked[]): readonly number[] {
  return motion.kind === 'enter' ? motion.delaysMs(rows) : rows.map(() => 0);
}

export function entranceMs(motion: Entrance, rows: readonly Ranked[], speed: number): number {
  return Math.max(0, ...motion.delaysMs(rows)) + times.grow / speed;
}

/** Sets `--delay`. Only an entrance changes it, or running animations would jump. */
export function setDelay(
  motion: Motion,
  delayMs: number,
  elements: readonly (HTMLElement | SVGElement)[],
): void {
  if (motion.kind !== 'enter') return;
  for (const element of elements) setStyle(element, '--delay', `${delayMs.toFixed(0)}ms`);
}

/** Animates the panel from its height to that of the next picture. Its content is in its final place at once. */
export class HeightTransition {
  readonly #panel: HTMLElement;
  #running: Animation | undefined;

  constructor(panel: HTMLElement) {
    this.#panel = panel;
  }

  /** @param draw may measure: while it runs, the panel has the height of its content */
  during(durationMs: number, draw: () => void): void {
    const fromPx = durationMs > 0 ? this.#panel.getBoundingClientRect().height : 0;
    this.#running?.cancel();
    this.#running = undefined;
    draw();
    if (durationMs === 0) return;
    const toPx = this.#panel.getBoundingClientRect().height;
    if (Math.abs(toPx - fromPx) < 1) return;
    const frames = [fromPx, toPx].map(height => ({ height: `${height}px`, overflow: 'clip' }));
    this.#running = this.#panel.animate(frames, { duration: durationMs, easing: EASING });
  }
}

/** Switches the classes by which the style sheet animates entrances and exits, and tracks when they end. */
export class SceneTransition {
  readonly #stage: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #untilMs = 0;
  #isLeaving = false;

  constructor(stage: HTMLElement) {
    this.#stage = stage;
  }

  /** Title and answers are leaving; the next picture is drawn afterwards. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  get restMs(): number {
    return Math.max(this.#isLeaving ? 1 : 0, this.#untilMs - performance.now());
  }

  /** Title and answers leave, then `next` runs. */
  leave(durationMs: number, next: () => void): void {
    this.#isLeaving = true;
    this.#stage.classList.add('leaving');
    this.extend(durationMs, () => {
      this.#isLeaving = false;
      this.#stage.classList.remove('leaving');
      next();
    });
  }

  /** @param arriving the panel appears too */
  enter(durationMs: number, arriving: boolean): void {
    const { classList } = this.#stage;
    classList.add('entering');
    if (arriving) classList.add('arriving');
    this.extend(durationMs, () => classList.remove('entering', 'arriving'));
  }

  extend(durationMs: number, end?: () => void): void {
    this.#untilMs = performance.now() + durationMs;
    if (!end) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(end, durationMs);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
