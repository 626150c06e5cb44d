import type { Bounds } from './canvas.ts';
import type { Box, Part, Shape } from './part.ts';

/** How a picture replaces the one before, and how long each part of it takes. */
export interface Motion {
  /**
   * `still`: at once. `change`: differences move from where they are. `enter`: a poll replaces
   * another, or nothing. `reveal`: the rows leave and come back one after the other, from below.
   */
  readonly kind: 'still' | 'change' | 'enter' | 'reveal';
  /** 1 is the usual speed; 2 takes half the time. */
  readonly speed: number;
  /** Milliseconds before a row enters. */
  readonly delayMs?: ((row: string) => number) | undefined;
  /** The rows of a reveal; by default all. */
  readonly rows?: ReadonlySet<string> | undefined;
}

export const STILL: Motion = { kind: 'still', speed: 1 };

/** In milliseconds at speed 1. */
export const times = { change: 350, swap: 450, cross: 250, leave: 150, enter: 500 } as const;

interface Moving {
  readonly part: Part;
  readonly from: Box;
  readonly to: Box;
  readonly startMs: number;
  readonly ms: number;
}

/** A part that fades, where its successor will be. */
interface Leaving extends Moving {
  readonly fadeMs: number;
  readonly goneMs: number;
}

export interface Drawn {
  readonly part: Part;
  readonly at: Box;
}

function around(moving: readonly Moving[]): Bounds | undefined {
  if (moving.length === 0) return undefined;
  const all = moving.flatMap(({ from, to }) => [from, to]);
  const x = Math.min(...all.map(at => at.x));
  const y = Math.min(...all.map(at => at.y));
  const right = Math.max(...all.map(at => at.x + at.width));
  const bottom = Math.max(...all.map(at => at.y + at.height));
  return { x, y, width: right - x, height: bottom - y };
}

const CROSSED: ReadonlySet<Shape['kind']> = new Set(['text', 'pill', 'image', 'code', 'sweep']);
const NUMBERS = ['x', 'y', 'width', 'height', 'alpha', 'scale', 'value', 'start'] as const;

/** The moving picture: keeps where each part comes from, and says where all of them are at a time. */
export class Film {
  #shown = new Map<string, Moving>();
  #leaving: Leaving[] = [];

  /** Replaces the picture. @param nowMs monotonic */
  show(parts: readonly Part[], nowMs: number, motion: Motion): void {
    const before = this.#shown;
    this.#leaving = this.#leaving.filter(({ goneMs }) => nowMs < goneMs);
    this.#shown = new Map(
      parts.map(part => [part.key, this.#begin(before.get(part.key), part, nowMs, motion)]),
    );
    for (const [key, moving] of before) if (!this.#shown.has(key)) this.#leave(moving, nowMs, motion);
    if (motion.kind === 'still') this.#leaving = [];
  }

  /** Returns the parts from back to front. */
  at(nowMs: number): Drawn[] {
    const leaving = this.#leaving
      .filter(({ goneMs }) => nowMs < goneMs)
      .map(moving => {
        const at = positionAt(moving, nowMs);
        return {
          part: moving.part,
          at: { ...at, alpha: at.alpha * (1 - easedAt(moving.fadeMs, moving.goneMs, nowMs)) },
        };
      });
    const shown = [...this.#shown.values()].map(moving => ({
      part: moving.part,
      at: positionAt(moving, nowMs),
      moving,
    }));
    // The row that rises passes in front.
    const isRising = (drawn: Drawn & { moving?: Moving }) =>
      drawn.moving !== undefined && drawn.moving.from.alpha > 0 && drawn.at.y > drawn.moving.to.y + 1;
    const orderOf = (drawn: Drawn) => drawn.part.order + (isRising(drawn) ? 0.5 : 0);
    return [...leaving, ...shown]
      .filter(({ at }) => at.alpha > 0)
      .sort((one, other) => orderOf(one) - orderOf(other));
  }

  /** The box in which everything is drawn from now on; undefined for nothing. */
  boundsAt(nowMs: number): Bounds | undefined {
    return around([...this.#shown.values(), ...this.#leaving.filter(({ goneMs }) => nowMs < goneMs)]);
  }

  /** The box in which something moves between two times; undefined for nothing. */
  movedBetween(fromMs: number, toMs: number): Bounds | undefined {
    const moves = (start: number, end: number) => start <= toMs && end > fromMs;
    const shown = [...this.#shown.values()].filter(
      ({ startMs, ms }) => ms > 0 && moves(startMs, startMs + ms),
    );
    const leaving = this.#leaving.filter(
      ({ startMs, ms, fadeMs, goneMs }) => moves(startMs, startMs + ms) || moves(fadeMs, goneMs),
    );
    return around([...shown, ...leaving]);
  }

  /** When the last movement ends; in the past while nothing moves. */
  get endMs(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...this.#spans().map(([, end]) => end));
  }

  /**
   * When the picture looks different than now: at once while anything moves, at the next delayed
   * movement, or never.
   */
  nextMs(nowMs: number): number {
    const spans = this.#spans().filter(([, end]) => end > nowMs);
    return Math.min(Number.POSITIVE_INFINITY, ...spans.map(([start]) => Math.max(start, nowMs)));
  }

  /** The times between which something moves. */
  #spans(): (readonly [startMs: number, endMs: number])[] {
    const shown = [...this.#shown.values()].map(({ startMs, ms }) => [startMs, startMs + ms] as const);
    const leaving = this.#leaving.flatMap(({ startMs, ms, fadeMs, goneMs }) => [
      [startMs, startMs + ms] as const,
      [fadeMs, goneMs] as const,
    ]);
    return [...shown, ...leaving];
  }

  #begin(known: Moving | undefined, part: Part, nowMs: number, motion: Motion): Moving {
    const to = part.at;
    if (motion.kind === 'still') return { part, from: to, to, startMs: nowMs, ms: 0 };
    const isAgain = isRevealed(part, motion);
    if (known && !isAgain && !isCrossed(known.part.shape, part.shape))
      return this.#move(known, part, nowMs, motion);
    const delayMs = delayOf(part, motion);
    if (known) this.#leave(known, nowMs, motion, isAgain ? 0 : delayMs, to.y);
    const from = { ...to, ...(known && !isAgain ? { alpha: 0 } : (part.from ?? { alpha: 0 })) };
    const usualMs = isAgain ? times.swap : known ? times.cross : times.enter;
    const ms = (part.ms ?? usualMs) / motion.speed;
    return { part, from, to, startMs: nowMs + delayMs, ms };
  }

  /** A part that has yet to enter keeps its turn; any other moves on from where it is. */
  #move(known: Moving, part: Part, nowMs: number, { kind, speed }: Motion): Moving {
    const to = part.at;
    if (NUMBERS.every(name => known.to[name] === to[name])) return { ...known, part };
    if (nowMs < known.startMs) return { ...known, part, to };
    const from = positionAt(known, nowMs);
    const ms = (part.ms ?? (from.y === to.y ? times.change : times.swap)) / speed;
    // A panel shrinks after its texts have left.
    const waits = kind === 'enter' && part.shape.kind === 'plate' && to.height < from.height;
    return { part, from, to, startMs: nowMs + (waits ? times.leave / speed : 0), ms };
  }

  /** @param y of the part that takes its place */
  #leave(moving: Moving, nowMs: number, motion: Motion, delayMs = 0, y?: number): void {
    const from = positionAt(moving, nowMs);
    if (motion.kind === 'still' || from.alpha === 0) return;
    const fadeMs = nowMs + delayMs;
    const ms = times.change / motion.speed;
    const goneMs = fadeMs + (motion.kind === 'enter' ? times.leave : times.cross) / motion.speed;
    // While it waits, it moves with its panel.
    const to = delayMs > 0 && y !== undefined ? { ...from, y } : from;
    this.#leaving.push({ part: moving.part, from, to, startMs: nowMs, ms, fadeMs, goneMs });
  }
}

/**
 * What is read crosses over when it changes, and so does a bar whose color changes; a box only
 * takes its new color.
 */
function isCrossed(before: Shape, after: Shape): boolean {
  if (before.kind !== after.kind) return true;
  if (CROSSED.has(after.kind)) return JSON.stringify(before) !== JSON.stringify(after);
  if (before.kind === 'figure' && after.kind === 'figure') return before.color !== after.color;
  if (before.kind === 'bar' && after.kind === 'bar') return before.fill.color !== after.fill.color;
  return before.kind === 'column' && after.kind === 'column' && before.fill.color !== after.fill.color;
}

function isRevealed({ row, isOfRow }: Part, { kind, rows }: Motion): boolean {
  return kind === 'reveal' && isOfRow === true && row !== undefined && (rows?.has(row) ?? true);
}

function delayOf({ row, lagMs = 0 }: Part, { kind, speed, delayMs }: Motion): number {
  const rowMs = row === undefined || kind === 'change' ? 0 : (delayMs?.(row) ?? 0);
  return rowMs + lagMs / speed;
}

/** Eased progress from 0 to 1. */
function easedAt(startMs: number, endMs: number, nowMs: number): number {
  if (nowMs >= endMs) return 1;
  if (nowMs <= startMs) return 0;
  return 1 - (1 - (nowMs - startMs) / (endMs - startMs)) ** 3;
}

function positionAt({ from, to, startMs, ms }: Moving, nowMs: number): Box {
  const eased = easedAt(startMs, startMs + ms, nowMs);
  if (eased === 0) return from;
  if (eased === 1) return to;
  const mix = (one: number, other: number) => one + (other - one) * eased;
  return {
    x: mix(from.x, to.x),
    y: mix(from.y, to.y),
    width: mix(from.width, to.width),
    height: mix(from.height, to.height),
    alpha: mix(from.alpha, to.alpha),
    scale: mix(from.scale, to.scale),
    value: mix(from.value, to.value),
    start: mix(from.start, to.start),
  };
}
