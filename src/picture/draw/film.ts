import type { Bounds } from './canvas.ts';
import type { Box, Part, Shape } from './part.ts';

/** How a picture replaces the one before, and how long each part of it takes. */
export interface Motion {
  /**
   * `still`: at once. `redraw`: at once too, but each movement goes on where it is. `change`:
   * differences move from where they are. `enter`: a poll replaces another, or nothing. `reveal`:
   * the rows leave and come back one after the other, from below.
   */
  readonly kind: 'still' | 'redraw' | 'change' | 'enter' | 'reveal';
  /** 1 is the usual speed; 2 takes half the time. */
  readonly speed: number;
  /** Milliseconds before a row enters. */
  readonly delayMs?: ((row: string) => number) | undefined;
  /** The rows of a reveal; by default all. */
  readonly rows?: ReadonlySet<string> | undefined;
  /** The rows of a change that pass in front of all others, whatever their places are. */
  readonly front?: ReadonlySet<string> | undefined;
  /** What moves takes so long, in place of the usual. */
  readonly ms?: number | undefined;
  /** Rows whose bars and figures rise evenly and in lockstep, in so many milliseconds. */
  readonly lockstep?: { readonly rows: ReadonlySet<string>; readonly ms: number } | undefined;
}

export const STILL: Motion = { kind: 'still', speed: 1 };

/**
 * In milliseconds at speed 1. What changes its text goes `out` and comes `in`. A row that passes
 * another is lifted, slides and settles; while a step of a reveal opens it, it stays lifted. A poll
 * leaves, its box takes its new size, and the next poll enters. A winner's row grows.
 */
export const times = {
  change: 350,
  out: 110,
  in: 140,
  rise: 450,
  lift: 120,
  slide: 440,
  settle: 140,
  open: 600,
  opening: 450,
  leave: 160,
  resize: 220,
  enter: 240,
  grow: 800,
} as const;

/** How far a poll moves while it leaves or enters. */
const ASIDE = 40;
/** Opacity of what a row passes. */
const PASSED_ALPHA = 0.35;
/** A lifted card grows so far above and below, and in width as far as its box has room. */
export const CARD_GROWTH = 6;
/** Around a lifted row: its growth and its shadow. */
const LIFT_REACH = 70;

interface Moving {
  readonly part: Part;
  readonly from: Box;
  readonly to: Box;
  readonly startMs: number;
  readonly ms: number;
  readonly isEven?: boolean;
}

/** A part that fades, where its successor will be. */
interface Leaving extends Moving {
  readonly fadeMs: number;
  readonly goneMs: number;
}

type Span = readonly [startMs: number, endMs: number];

/** A row on its way past others. */
interface Pass {
  readonly startMs: number;
  readonly liftedMs: number;
  readonly settleMs: number;
  readonly endMs: number;
  readonly isLifted: boolean;
  /** Rows with a better place are in front. */
  readonly depth: number;
}

/** When what is new in a picture begins. */
interface Plan {
  readonly before: ReadonlyMap<string, Moving>;
  readonly motion: Motion;
  readonly nowMs: number;
  /** When parts move, and how long. */
  readonly moveMs: number;
  readonly ms: number;
  /** When parts appear that were not there. */
  readonly appearMs: number;
  readonly passes: ReadonlyMap<string, Pass>;
  /** How far what enters moves: a poll without a box has no room beside it. */
  readonly aside: number;
}

export interface Drawn {
  readonly part: Part;
  readonly at: Box;
  /** The box that holds it while that moves. */
  readonly clip?: Bounds | undefined;
}

function around(moving: readonly Moving[], reach = 0): Bounds | undefined {
  if (moving.length === 0) return undefined;
  const all = moving.flatMap(({ from, to }) => [from, to]);
  const x = Math.min(...all.map(at => at.x)) - reach;
  const y = Math.min(...all.map(at => at.y)) - reach;
  const right = Math.max(...all.map(at => at.x + at.width)) + reach;
  const bottom = Math.max(...all.map(at => at.y + at.height)) + reach;
  return { x, y, width: right - x, height: bottom - y };
}

function common(one: Bounds, other: Bounds): Bounds {
  const x = Math.max(one.x, other.x);
  const y = Math.max(one.y, other.y);
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return { x, y, width: Math.max(0, width), height: Math.max(0, height) };
}

const PLACE = ['x', 'y', 'width', 'height', 'scale'] as const;
const NUMBERS = [...PLACE, 'alpha', 'value', 'start'] as const;
type Numbers = readonly (keyof Box)[];

function isSame(one: Box, other: Box, names: Numbers = NUMBERS): boolean {
  return names.every(name => one[name] === other[name]);
}

/** The moving picture: keeps where each part comes from, and says where all of them are at a time. */
export class Film {
  #shown = new Map<string, Moving>();
  #leaving: Leaving[] = [];
  #passes = new Map<string, Pass>();

  /** Replaces the picture. @param nowMs monotonic */
  show(parts: readonly Part[], nowMs: number, motion: Motion): void {
    const before = this.#shown;
    if (motion.kind === 'still') {
      this.#leaving = [];
      this.#passes.clear();
      this.#shown = new Map(
        parts.map(part => [part.key, { part, from: part.at, to: part.at, startMs: nowMs, ms: 0 }]),
      );
      return;
    }
    this.#leaving = this.#leaving.filter(({ goneMs }) => nowMs < goneMs);
    this.#passes = new Map([...this.#passes].filter(([, { endMs }]) => nowMs < endMs));
    if (motion.kind === 'redraw') {
      this.#shown = new Map(
        parts.map(part => [part.key, redrawn(before.get(part.key), part, before.values(), nowMs)]),
      );
      return;
    }
    const plan = this.#plan(parts, nowMs, motion);
    this.#passes = new Map([...this.#passes, ...plan.passes]);
    this.#shown = new Map(parts.map(part => [part.key, this.#begin(before.get(part.key), part, plan)]));
    for (const [key, moving] of before)
      if (!this.#shown.has(key) && !isCovered(moving, before, nowMs)) this.#leave(moving, plan);
  }

  /** Returns the parts from back to front. */
  at(nowMs: number): Drawn[] {
    const leaving = this.#leaving
      .filter(({ goneMs }) => nowMs < goneMs)
      .map(moving => {
        const at = positionAt(moving, nowMs);
        const alpha = at.alpha * (1 - easedAt(moving.fadeMs, moving.goneMs, nowMs));
        return this.#drawn(moving, { ...at, alpha }, nowMs);
      });
    const shown = [...this.#shown.values()]
      .filter(moving => !isCovered(moving, this.#shown, nowMs))
      .map(moving => this.#drawn(moving, positionAt(moving, nowMs), nowMs));
    const depthOf = ({ part }: Drawn) => this.#passOf(part, nowMs)?.depth ?? 0;
    return [...leaving, ...shown]
      .filter(({ at, clip }) => at.alpha > 0 && clip?.width !== 0)
      .sort((one, other) => depthOf(one) - depthOf(other) || one.part.order - other.part.order);
  }

  /** The box in which everything is drawn from now on; undefined for nothing. */
  boundsAt(nowMs: number): Bounds | undefined {
    return around([...this.#shown.values(), ...this.#leaving.filter(({ goneMs }) => nowMs < goneMs)]);
  }

  /** The box in which something moves between two times; undefined for nothing. */
  movedBetween(fromMs: number, toMs: number): Bounds | undefined {
    const moves = ([startMs, endMs]: Span) => startMs < endMs && startMs <= toMs && endMs > fromMs;
    const passing = new Set(
      [...this.#passes].flatMap(([row, { startMs, endMs }]) => (moves([startMs, endMs]) ? [row] : [])),
    );
    const moving = [...this.#shown.values(), ...this.#leaving].filter(
      one => spansOf(one).some(moves) || passing.has(one.part.row ?? ''),
    );
    return around(moving, passing.size > 0 ? LIFT_REACH : 0);
  }

  /** When the last movement ends; in the past while nothing moves. */
  get endMs(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...this.#spans().map(([, end]) => end));
  }

  /** When the winner is marked. */
  get markedMs(): number {
    const marks = [...this.#shown.values()].filter(({ part }) => /^(badge|winner) /.test(part.key));
    return Math.max(Number.NEGATIVE_INFINITY, ...marks.map(({ startMs, ms }) => startMs + ms));
  }

  /** When the last row has passed others; in the past while none does. */
  get passedMs(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...[...this.#passes.values()].map(({ endMs }) => endMs));
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
  #spans(): Span[] {
    const passes = [...this.#passes.values()].map(({ startMs, endMs }): Span => [startMs, endMs]);
    return [...[...this.#shown.values(), ...this.#leaving].flatMap(spansOf), ...passes];
  }

  #passOf({ row, isOnCard }: Part, nowMs: number): Pass | undefined {
    const pass = row === undefined || !isOnCard ? undefined : this.#passes.get(row);
    return pass && nowMs >= pass.startMs && nowMs < pass.endMs ? pass : undefined;
  }

  /** Where a part is, on the card of its row while that passes others, and within its box while one of them moves. */
  #drawn({ part, from, to, startMs, ms }: Moving, at: Box, nowMs: number): Drawn {
    const isAside = from.x !== to.x && nowMs < startMs + ms;
    const clip = part.within === undefined ? undefined : this.#holder(part.within, isAside, nowMs);
    const pass = this.#passOf(part, nowMs);
    const card = pass && this.#shown.get(`card ${part.row}`);
    if (!card) return { part, at, clip };
    const { startMs: liftMs, liftedMs, settleMs, endMs } = pass;
    const lifted = easedAt(liftMs, liftedMs, nowMs) * (1 - easedAt(settleMs, endMs, nowMs));
    const step = pass.isLifted ? this.#shown.get(`step plate ${part.row}`) : undefined;
    if (step) return opened({ part, at, clip }, step.to, positionAt(card, nowMs), card.to, lifted);
    const isCard = part.shape.kind === 'card';
    const alpha = isCard ? lifted : at.alpha * (pass.isLifted ? 1 : 1 - (1 - PASSED_ALPHA) * lifted);
    if (!pass.isLifted) return { part, at: { ...at, alpha }, clip };
    const { x, y, width, height } = positionAt(card, nowMs);
    const growth = card.part.shape.kind === 'card' ? card.part.shape.growth : 1;
    const grown = 1 + (growth - 1) * lifted;
    if (isCard) {
      const [wide, high] = [width * grown, height + 2 * CARD_GROWTH * lifted];
      const box = { x: x + (width - wide) / 2, y: y + (height - high) / 2, width: wide, height: high };
      return { part, at: { ...at, ...box, alpha, value: lifted }, clip };
    }
    // Around the middle of the card.
    const left = at.x + (grown - 1) * (at.x + at.width / 2 - x - width / 2);
    const top = at.y + (grown - 1) * (at.y + at.height / 2 - y - height / 2);
    return { part, at: { ...at, x: left, y: top, alpha, scale: at.scale * grown }, clip };
  }

  /** The box of a part as far as that is in its own box, by default while one of them moves. */
  #holder(key: string, isAlways: boolean, nowMs: number): Bounds | undefined {
    const moving = this.#shown.get(key) ?? this.#leaving.find(({ part }) => part.key === key);
    if (!moving) return undefined;
    const { startMs, ms, part } = moving;
    const outer = part.within === undefined ? undefined : this.#holder(part.within, isAlways, nowMs);
    if (!isAlways && nowMs >= startMs + ms) return outer;
    const at = positionAt(moving, nowMs);
    return outer ? common(at, outer) : at;
  }

  /** What leaves comes first, then what moves, then what is new: no text is drawn through another. */
  #plan(parts: readonly Part[], nowMs: number, motion: Motion): Plan {
    const { speed, kind, front } = motion;
    const before = this.#shown;
    if (kind === 'enter') {
      const isOver = [...before.values()].some(({ part }) => part.isContent);
      const moveMs = nowMs + (isOver ? times.leave : 0) / speed;
      const ms = times.resize / speed;
      const aside = parts.some(({ key }) => key === 'plate') ? ASIDE : 0;
      return { before, motion, nowMs, moveMs, ms, appearMs: moveMs + ms, passes: new Map(), aside };
    }
    const staying = new Map(parts.map(part => [part.key, part]));
    const leaves = [...before].some(([key, known]) => {
      const next = staying.get(key);
      return (
        known.to.alpha > 0 && (!next || isAgain(next, motion) || isCrossed(known.part.shape, next.shape))
      );
    });
    const moves = parts.some(part => {
      const known = before.get(part.key);
      if (!known || isAgain(part, motion) || isCrossed(known.part.shape, part.shape)) return false;
      return !isSame(known.to, part.at, PLACE);
    });
    const rows = passing(before, parts, front);
    // A row that comes from another page has no plate.
    const opens = parts.some(({ row, isOfStep }) => isOfStep && front?.has(row!) && rows.has(row!));
    const waitMs = opens ? times.open : rows.size > 0 ? times.lift : leaves ? times.out : 0;
    const ms = rows.size > 0 ? times.slide : (motion.ms ?? times.change);
    const settleMs = nowMs + (waitMs + ms + (front && !opens ? times.opening : 0)) / speed;
    const endMs = settleMs + times.settle / speed;
    const span = { startMs: nowMs, liftedMs: nowMs + times.lift / speed, settleMs, endMs };
    return {
      before,
      motion,
      nowMs,
      moveMs: nowMs + waitMs / speed,
      ms: ms / speed,
      // Below the plate of a step, figures are final when that closes.
      appearMs: nowMs + (waitMs + (moves && !opens ? ms : 0)) / speed,
      passes: new Map([...rows].map(([row, pass]) => [row, { ...pass, ...span }])),
      aside: 0,
    };
  }

  #begin(known: Moving | undefined, part: Part, plan: Plan): Moving {
    const { motion, nowMs, moveMs, ms, appearMs } = plan;
    if (!known || isAgain(part, motion, known.part)) {
      if (known && !isCovered(known, plan.before, nowMs)) this.#leave(known, plan);
      return appearing(part, plan);
    }
    if (!isCrossed(known.part.shape, part.shape)) return moved(known, part, plan);
    const from = positionAt(known, nowMs);
    const delayMs = delayOf(part, motion);
    const startMs = from.alpha > 0 ? appearMs + delayMs : Math.max(known.startMs, nowMs);
    if (from.alpha > 0) {
      const outMs = times.out / motion.speed;
      const fadeMs = delayMs > 0 ? startMs - outMs : nowMs;
      // While it waits for its successor, it moves with its panel.
      const to = { ...from, x: alignedX(part, from.width), y: part.at.y };
      this.#leaving.push({ part: known.part, from, to, startMs: moveMs, ms, fadeMs, goneMs: fadeMs + outMs });
    }
    const to = part.at;
    return { part, from: { ...to, alpha: 0 }, to, startMs, ms: times.in / motion.speed };
  }

  #leave(moving: Moving, { before, motion: { kind, speed }, nowMs }: Plan): void {
    const { part } = moving;
    const aside = before.has('plate') ? ASIDE : 0;
    const from = positionAt(moving, nowMs);
    if (from.alpha === 0) return;
    const outMs = (kind === 'enter' ? times.leave : times.out) / speed;
    const fades = { part, from, startMs: nowMs, ms: outMs, fadeMs: nowMs, goneMs: nowMs + outMs };
    if (kind !== 'enter') this.#leaving.push({ ...fades, to: from });
    else if (part.isContent)
      this.#leaving.push({ ...fades, to: { ...from, x: from.x - (part.isRtl ? -aside : aside) } });
    else {
      // A box closes when it is empty.
      const startMs = nowMs + outMs;
      const goneMs = startMs + times.resize / speed;
      const isBox = part.shape.kind === 'plate';
      const span = { startMs, ms: goneMs - startMs, fadeMs: isBox ? goneMs : startMs, goneMs };
      this.#leaving.push({
        part,
        from: isBox ? { ...from, value: 1 } : from,
        to: isBox ? closed(part) : from,
        ...span,
      });
    }
  }
}

/** Whether a part is a row without its mark, below the same row with it. */
function isCovered({ part, startMs }: Moving, all: ReadonlyMap<string, Moving>, nowMs: number): boolean {
  const cover = part.coveredBy === undefined ? undefined : all.get(part.coveredBy);
  return cover !== undefined && (nowMs >= cover.startMs + cover.ms || cover.startMs <= startMs);
}

/** Whether a part leaves and comes back, even where it stays the same. */
function isAgain({ row, isOfRow, isContent, theme }: Part, { kind, rows }: Motion, known?: Part): boolean {
  // What leaves keeps its look, so its box does not become the next one.
  if (kind === 'enter') return isContent === true || JSON.stringify(theme) !== JSON.stringify(known?.theme);
  return kind === 'reveal' && isOfRow === true && row !== undefined && (rows?.has(row) ?? true);
}

function appearing(part: Part, { motion, moveMs, ms, appearMs, aside }: Plan): Moving {
  const { kind, speed, lockstep } = motion;
  const to = part.at;
  if (kind === 'enter' && !part.isContent) {
    const from = part.shape.kind === 'plate' ? { ...closed(part), value: 1 } : { ...to, alpha: 0 };
    return { part, from, to, startMs: moveMs, ms };
  }
  const startMs = appearMs + delayOf(part, motion);
  if (kind === 'enter') {
    // No figure of a poll is false while it enters.
    const value = part.shape.kind === 'figure' ? to.value : (part.from?.value ?? to.value);
    const from = { ...to, x: to.x + (part.isRtl ? -aside : aside), alpha: 0, value };
    return { part, from, to, startMs, ms: (part.ms ?? times.enter) / speed };
  }
  const rises = part.row !== undefined && lockstep?.rows.has(part.row) && part.from?.value !== undefined;
  if (rises && part.isOfRow)
    return { part, from: { ...to, alpha: 0, value: 0 }, to, startMs, ms: lockstep!.ms / speed, isEven: true };
  return {
    part,
    from: { ...to, ...(part.from ?? { alpha: 0 }) },
    to,
    startMs,
    ms: (part.ms ?? times.rise) / speed,
  };
}

/** A part that has yet to enter keeps its turn; one on its way arrives in time; any other moves on from where it is. */
function moved(known: Moving, part: Part, { motion, nowMs, moveMs, ms }: Plan): Moving {
  const to = part.at;
  if (isSame(known.to, to)) return { ...known, part };
  if (nowMs < known.startMs) return { ...known, part, to };
  const from = positionAt(known, nowMs);
  if (isSame(known.to, to, PLACE)) {
    const isOnItsWay = known.isEven || !isSame(known.from, to, PLACE);
    if (isOnItsWay && nowMs < known.startMs + known.ms) return redirected(known, part, from, nowMs);
    return { part, from, to, startMs: nowMs, ms: (part.ms ?? times.change) / motion.speed };
  }
  const isTake = motion.kind === 'enter' && part.shape.kind === 'plate';
  const grown = grownFrom(from, known.part.shape, part);
  return { part, from: isTake ? { ...grown, value: 1 } : grown, to, startMs: moveMs, ms };
}

/** A text that takes another size begins as large as it was, where its line began. */
function grownFrom(from: Box, before: Shape, { at: to, shape, isRtl = false }: Part): Box {
  if (!('font' in before) || !('font' in shape) || before.font.size === shape.font.size) return from;
  const scale = (from.scale * before.font.size) / shape.font.size;
  const { width, height } = to;
  const side =
    !('align' in shape) || shape.align === 'center' ? 0.5 : (shape.align === 'start') === isRtl ? 1 : 0;
  // Scaled around its middle, the box has this side where it was.
  const x = from.x + side * (from.width - width) + (side - 0.5) * width * (1 - scale);
  return { ...from, x, y: from.y + (from.height - height) / 2, width, height, scale };
}

/** Reaches another value when it would have reached the one before. @param at where it is now */
function redirected(known: Moving, part: Part, at: Box, nowMs: number): Moving {
  const done = progressOf(known, nowMs);
  const before = (to: number, now: number) => (now - to * done) / (1 - done);
  const value = before(part.at.value, at.value);
  const start = before(part.at.start, at.start);
  return { ...known, part, from: { ...known.from, value, start }, to: part.at };
}

/** A part that was there moves on in the new layout; another comes at once, or with what comes last. */
function redrawn(known: Moving | undefined, part: Part, all: Iterable<Moving>, nowMs: number): Moving {
  const to = part.at;
  if (known) {
    const by = (name: keyof Box) => known.from[name] + to[name] - known.to[name];
    const from = { ...known.from, x: by('x'), y: by('y'), width: by('width'), height: by('height') };
    return { ...known, part, from, to };
  }
  const endOf = ({ startMs, ms }: Moving) => startMs + ms;
  const rest: Moving = { part, from: to, to, startMs: nowMs, ms: 0 };
  const last = [...all].reduce((one, other) => (endOf(other) > endOf(one) ? other : one), rest);
  return last === rest ? rest : { ...last, part, from: { ...to, alpha: 0 }, to };
}

/** The rows that pass others, or are passed. @param front rows that pass whatever their places are */
function passing(
  before: ReadonlyMap<string, Moving>,
  parts: readonly Part[],
  front: ReadonlySet<string> | undefined,
): Map<string, Pick<Pass, 'isLifted' | 'depth'>> {
  const rows = parts.flatMap(({ key, row = '', rank: now }) => {
    const was = before.get(key)?.part.rank;
    return now === undefined || was === undefined ? [] : [{ row, was, now }];
  });
  const found = new Map<string, Pick<Pass, 'isLifted' | 'depth'>>();
  if (!front && rows.every(({ was }, at) => at === 0 || rows[at - 1]!.was < was)) return found;
  for (const { row, was, now } of rows) {
    const isFront = front?.has(row) ?? false;
    if (!isFront && !rows.some(other => other.was < was !== other.now < now && other.was !== was)) continue;
    const isLifted = front ? isFront : now < was;
    found.set(row, { isLifted, depth: (isFront ? 2 : 1) * rows.length - now });
  }
  return found;
}

/**
 * A part of a row whose place a step of a reveal opens: the plate hides the row, and has its own parts.
 *
 * @param plate in the row's place @param now where the row is @param open how far the plate is open
 */
function opened({ part, at, clip }: Drawn, plate: Box, now: Box, place: Box, open: number): Drawn {
  if (!part.isOfStep) return { part, at: { ...at, alpha: open === 1 ? 0 : at.alpha }, clip };
  const [x, y] = [now.x - place.x, now.y - place.y];
  const height = plate.height * open;
  const box = { ...plate, x: plate.x + x, y: plate.y + y + (plate.height - height) / 2, height, alpha: 1 };
  if (part.key.startsWith('step plate')) return { part, at: box, clip };
  return { part, at: { ...at, x: at.x + x, y: at.y + y, alpha: 1 }, clip: clip ? common(clip, box) : box };
}

/** Without width, at the start of its lines. */
function closed({ at, isRtl }: Part): Box {
  return { ...at, x: isRtl ? at.x + at.width : at.x, width: 0 };
}

/** Where a part of this width is in the place of another: a state ends there, anything else begins there. */
function alignedX({ at, shape, isRtl = false }: Part, width: number): number {
  return (shape.kind === 'pill') === isRtl ? at.x : at.x + at.width - width;
}

/** What is read changes when it is gone, and so does a bar whose color changes; a box only takes its new color. */
function isCrossed(before: Shape, after: Shape): boolean {
  return before.kind !== after.kind || JSON.stringify(readOf(before)) !== JSON.stringify(readOf(after));
}

function readOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'text': {
      const { font, lines, lineHeight } = shape;
      return { ...shape, font: font.weight, lineHeight: lines.length === 1 ? 0 : lineHeight / font.size };
    }
    case 'image':
    case 'code':
    case 'sweep':
      return shape;
    case 'pill':
      return shape.text;
    case 'figure':
      return shape.color;
    case 'bar':
    case 'column':
      return shape.fill.color;
    default:
      return undefined;
  }
}

/** Nothing waits for a mark while a poll enters. */
function delayOf({ row, lagMs = 0 }: Part, { kind, speed, delayMs }: Motion): number {
  const rowMs = row === undefined ? 0 : (delayMs?.(row) ?? 0);
  return rowMs + (kind === 'enter' ? 0 : lagMs / speed);
}

function spansOf(moving: Moving | Leaving): Span[] {
  const { startMs, ms } = moving;
  const moves: Span = [startMs, startMs + ms];
  return 'goneMs' in moving ? [moves, [moving.fadeMs, moving.goneMs]] : [moves];
}

/** Eased progress from 0 to 1. */
function easedAt(startMs: number, endMs: number, nowMs: number): number {
  return 1 - (1 - evenAt(startMs, endMs, nowMs)) ** 3;
}

function evenAt(startMs: number, endMs: number, nowMs: number): number {
  if (nowMs >= endMs) return 1;
  return nowMs <= startMs ? 0 : (nowMs - startMs) / (endMs - startMs);
}

function progressOf({ startMs, ms, isEven }: Moving, nowMs: number): number {
  return (isEven ? evenAt : easedAt)(startMs, startMs + ms, nowMs);
}

function positionAt(moving: Moving, nowMs: number): Box {
  const { from, to, startMs, ms } = moving;
  const done = progressOf(moving, nowMs);
  if (done === 0) return from;
  if (done === 1) return to;
  const mix = (one: number, other: number, part = done) => one + (other - one) * part;
  return {
    x: mix(from.x, to.x),
    y: mix(from.y, to.y),
    width: mix(from.width, to.width),
    height: mix(from.height, to.height),
    // However long a bar takes, it is seen at once.
    alpha: mix(from.alpha, to.alpha, easedAt(startMs, startMs + Math.min(ms, times.enter), nowMs)),
    scale: mix(from.scale, to.scale),
    value: mix(from.value, to.value),
    start: mix(from.start, to.start),
  };
}
