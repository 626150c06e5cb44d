import { type Fill, fillOfRow } from '../fill.ts';
import type { Picture, PictureRow } from '../picture.ts';
import { rowType } from '../row-look.ts';
import { LOST_ALPHA, onAccent, SMALLEST_TEXT } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import { type Body, hasFigures, hasLastTwo, isSeen, isStepped, type Task } from './body.ts';
import { CARD_GROWTH } from './film.ts';
import { PILL } from './paint.ts';
import {
  type Align,
  type Box,
  box,
  boxAt,
  type Drawing,
  grownBy,
  order,
  type Part,
  part,
  text,
} from './part.ts';
import { layOutStep } from './step.ts';
import type { FittedText, Font, TextRoom } from './type-setter.ts';

/** What people type in chat, as on a keyboard; a longer key is wider. */
export const KEYCAP = { size: 40, gap: 14, inset: 10, font: { size: SMALLEST_TEXT, weight: 700 } };
export const TAG = { height: 42, inset: 14, gap: 16 };
/** How far the plate of a winner reaches beyond its row. */
export const WINNER_AIR = { x: 12, y: 8 };
/** How far a row grows that passes others. */
const LIFTED_SCALE = 1.05;
/** Figures are final before the winner is marked, and stand for a moment: then the plate, the word, a light. */
const WINNER_LAG_MS = 950;
const WINNER = { plateMs: 350, wordLagMs: 250, sweepLagMs: 450, sweepMs: 900 };
const RISE = 12;
const FRAME = { air: 12, low: 6, apart: 4, least: 8 };
/** How much larger the last two of a reveal stand. */
const LAST_TWO = 1.3;

/** Draws one answer: what all styles have of a row, in its colors. */
export class RowKit {
  readonly row: PictureRow;
  readonly hasFigures: boolean;
  /** A reveal by steps has yet to show it, and an empty frame is in its place. */
  readonly isFramed: boolean;
  readonly fill: Fill;
  /** Colors of texts and track: on the plate of a winner, that of the plate's text. */
  readonly ink: { readonly text: string; readonly soft: string; readonly track: string };
  /**
   * The word of a winner; on a presenter's screen also that of a place that viewers see already.
   * Else empty.
   */
  readonly badge: string;
  readonly badgeWidth: number;
  /** Place on the picture, from 0. */
  readonly #at: number;
  readonly #task: Task;
  readonly #radius: number;

  constructor(row: PictureRow, at: number, task: Task) {
    const { theme, settings, picture, wording, type } = task;
    const { phrases } = wording;
    this.row = row;
    this.#at = at;
    this.#task = task;
    this.#radius = Math.min(theme.radius, 14);
    this.hasFigures = hasFigures(row, picture);
    this.isFramed = isStepped(picture) && !row.isRevealed;
    this.fill = fillOfRow(row, settings, theme, picture.all);
    const ink = onAccent(this.fill.color);
    this.ink = row.wins ? { text: ink, soft: ink, track: `${ink}33` } : theme;
    const won = row.wins ? (picture.tie ? phrases.tie : phrases.winner) : '';
    this.badge = isSeen(row, picture, settings) ? phrases.seen : won;
    this.badgeWidth = this.badge === '' ? 0 : type.width(this.badge, rowType.mark) + 2 * TAG.inset;
  }

  /** Opacity of all that belongs to the row. What a reveal has yet to show is quiet, until two are left. */
  get alpha(): number {
    const { picture } = this.#task;
    const isQuiet = isStepped(picture) && this.isFramed !== hasLastTwo(picture);
    return this.row.lost || isQuiet || isSecretRow(this.row, picture) ? LOST_ALPHA : 1;
  }

  /** A part that rises into its place. */
  part(name: string, { shape, at }: Drawing, more: Partial<Part> = {}): Part {
    return {
      key: `${name} ${this.row.id}`,
      shape,
      at: { ...at, alpha: at.alpha * this.alpha },
      order: order.text,
      row: this.row.id,
      isOfRow: true,
      from: { alpha: 0, y: at.y + RISE },
      ...more,
    };
  }

  /**
   * A row as one solid thing. The plate of a winner reaches beyond it, and uncovers the same row in
   * the colors of the plate.
   *
   * @param at the row itself @param partsOf its parts, in the colors of a kit
   */
  solid(at: Box, partsOf: (kit: RowKit) => readonly Part[]): Part[] {
    const { id, wins } = this.row;
    const card = this.#card(at);
    const onCard = (parts: readonly Part[]) => parts.map(one => ({ ...one, isOnCard: true }));
    if (!wins) return onCard([card, ...this.#standing(partsOf(this), at), ...this.#step(at)]);
    const plain = new RowKit({ ...this.row, wins: false }, this.#at, this.#task);
    const below = partsOf(plain).map(one => ({ ...one, coveredBy: `winner ${id}` }));
    const above = partsOf(this).map(one =>
      one.isOfRow
        ? { ...one, key: `won ${one.key}`, from: {}, lagMs: WINNER_LAG_MS, within: `winner ${id}` }
        : one,
    );
    const marked = [...this.#plate(at), ...above].map(one => ({ ...one, order: one.order + order.won }));
    return onCard([card, ...below, ...marked]);
  }

  /** The last two of a reveal are larger, and equally large. */
  #standing(parts: readonly Part[], row: Box): readonly Part[] {
    const { picture, type } = this.#task;
    const { shape, at } = parts.find(({ key }) => key.startsWith('name ')) ?? {};
    const isTall = row.width < row.height;
    if (!this.isFramed || !hasLastTwo(picture) || isTall || shape?.kind !== 'text') return parts;
    const widths = picture.all.map(({ answer, isRevealed }) =>
      isRevealed ? 0 : type.width(answer, shape.font),
    );
    const room = row.width / (at!.x - row.x + Math.max(...widths));
    const scale = Math.max(1, Math.min(LAST_TWO, room));
    return parts.map(one => {
      if (one.shape.kind === 'box') return one;
      const { width, height, x, y } = one.at;
      // Around the start of the row.
      const left = row.x + (x + width / 2 - row.x) * scale - width / 2;
      const middle = row.y + row.height / 2;
      return {
        ...one,
        at: { ...one.at, x: left, y: middle + (y + height / 2 - middle) * scale - height / 2, scale },
      };
    });
  }

  /** A step of a reveal opens the row. */
  #step(row: Box): Part[] {
    const { picture } = this.#task;
    const isNewest = isStepped(picture) && this.row.isRevealed && this.row.rank === picture.revealedFrom;
    if (!isNewest) return [];
    const [figure = ''] = new Figures(this.row, this.#task).list
      .map(({ value, format }) => format(value))
      .slice(-1);
    const face = (at: Box) => this.face(at, undefined);
    return layOutStep(this.row, row, this.#task, { figure, radius: this.#radius, face });
  }

  /** Plate and light of a winner. */
  #plate(row: Box): Part[] {
    const { id } = this.row;
    const radius = this.#radius;
    const at = grownBy(row, WINNER_AIR.x, WINNER_AIR.y);
    const { color, edge } = this.fill;
    const { plateMs: ms, sweepLagMs, sweepMs } = WINNER;
    return [
      part(`winner ${id}`, box(at, { color, edge }, radius), {
        order: order.winner,
        from: { x: at.x, width: 0 },
        row: id,
        lagMs: WINNER_LAG_MS,
        ms,
      }),
      part(
        `sweep ${id}`,
        { at: { ...at, value: 1 }, shape: { kind: 'sweep', radius } },
        { order: order.light, from: { value: 0 }, row: id, lagMs: WINNER_LAG_MS + sweepLagMs, ms: sweepMs },
      ),
    ];
  }

  /** What the row is on while it passes others. */
  #card(row: Box): Part {
    const { theme } = this.#task;
    const isSolid = !theme.plate.endsWith('00') || theme.plate.length < 9;
    const color = (isSolid ? theme.plate : theme.stroke).slice(0, 7);
    const at = { ...grownBy(row, WINNER_AIR.x, WINNER_AIR.y), alpha: 0 };
    const room = (row.width + 2 * theme.padding) / at.width;
    // What is at the top and the bottom of a tall row stays on its card.
    const growth = Math.max(1, Math.min(LIFTED_SCALE, room, 1 + (2 * CARD_GROWTH) / at.height));
    const shape = { kind: 'card', color, edge: theme.accent, radius: this.#radius, growth } as const;
    const { id } = this.row;
    return part(`card ${id}`, { at, shape }, { order: order.card, row: id, rank: this.#at });
  }

  /**
   * The empty frame of a row that a reveal by steps has yet to show.
   *
   * @param air between this frame's row and the next
   */
  frame(row: Box, air: number): Part[] {
    if (!this.isFramed || air < FRAME.least) return [];
    const { theme } = this.#task;
    const radius = this.#radius;
    const grown = hasLastTwo(this.#task.picture) ? ((LAST_TWO - 1) / 2) * row.height : FRAME.low;
    const at = grownBy(row, FRAME.air, Math.min(grown, air / 2 - FRAME.apart / 2));
    const soft = theme.soft.slice(0, 7);
    const fill = { color: `${soft}0d` };
    const shape = { kind: 'box', fill, radius, edge: `${soft}73` } as const;
    return [this.part('frame', { at, shape }, { order: order.track, from: { alpha: 0 } })];
  }

  /** The picture of the answer. Its box depends on nothing that has yet to load. @param edge replaces its own */
  face(at: Box, edge = this.row.wins ? this.ink.text : this.fill.edge): Part {
    const size = [at.width, at.height] as const;
    const radius = Math.min(this.#radius, at.height / 5);
    const { color } = this.fill;
    const { image: path, imageFocus: focus } = this.row;
    return this.part('face', { at, shape: { kind: 'face', path, focus, size, color, edge, radius } });
  }

  /** The badge: on the row's plate in the color of the text there, on the panel in that of the answer. */
  badgeAt(x: number, middle: number, ground: 'plate' | 'panel', height = TAG.height): Part[] {
    if (this.badge === '') return [];
    const { theme, picture, settings } = this.#task;
    const { id } = this.row;
    const isOutlined = isSeen(this.row, picture, settings);
    const fill = isOutlined ? { color: theme.track, edge: theme.soft } : this.fill;
    const isOnPlate = ground === 'plate' && !isOutlined;
    const color = isOnPlate ? onAccent(fill.color) : fill.color;
    const edge = isOnPlate ? undefined : fill.edge;
    const ink = isOutlined ? theme.text : onAccent(color);
    const at = boxAt(x, middle - height / 2, this.badgeWidth, height);
    const entering = { row: id, lagMs: WINNER_LAG_MS + WINNER.wordLagMs, from: { alpha: 0 } };
    const lines = [this.badge];
    return [
      part(`badge ${id}`, box(at, { color, edge }, theme.radius === 0 ? 0 : 9), {
        order: order.badge,
        ...entering,
      }),
      part(
        `badge text ${id}`,
        text(at, { lines, font: rowType.mark, color: ink, align: 'center', isPlain: true }),
        { order: order.light - 0.5, ...entering },
      ),
    ];
  }

  /** What the keycap before the name takes, with the gap after it; 0 without one. */
  get keyRoom(): number {
    const { key } = this.row;
    if (key === undefined) return 0;
    return Math.max(KEYCAP.size, this.#task.type.width(key, KEYCAP.font) + 2 * KEYCAP.inset) + KEYCAP.gap;
  }

  keycap(x: number, middle: number): Part[] {
    const { key } = this.row;
    if (key === undefined) return [];
    const { color, edge } = this.fill;
    const at = boxAt(x, middle - KEYCAP.size / 2, this.keyRoom - KEYCAP.gap, KEYCAP.size);
    const radius = Math.min(this.#task.theme.radius, 9);
    const font = KEYCAP.font;
    const cap = this.part('keycap', box(at, { color, edge }, radius), { order: order.bar });
    const written = { lines: [key], font, color: onAccent(color), align: 'center', isPlain: true } as const;
    return [cap, this.part('key', text(at, written))];
  }

  name({ text: { lines, font, lineHeight }, widths }: Names, room: Box, align: Align = 'start'): Part {
    const shown = lines[this.#at] ?? [];
    // No wider than its lines, so that it stays within the panel while it grows.
    const at = align === 'start' ? { ...room, width: widths[this.#at] ?? 0 } : room;
    const written = { lines: shown, font, align, color: this.ink.text, isPlain: this.row.wins };
    return this.part('name', text(at, shown.length === 1 ? written : { ...written, lineHeight }));
  }

  /** Striped without results. */
  track(at: Box): Part {
    const radius = Math.min(this.#task.theme.bar, at.height / 2);
    const isStriped = !this.hasFigures;
    return this.part(
      'track',
      { at, shape: { kind: 'track', color: this.ink.track, radius, isStriped } },
      { order: order.track, from: { alpha: 0 } },
    );
  }

  /** Track and bar. An empty frame has none. @param value filled part of the track */
  bar(at: Box, value: number): Part[] {
    if (this.isFramed) return [];
    if (!this.hasFigures) return [this.track(at)];
    const radius = Math.min(this.#task.theme.bar, at.height / 2);
    const fill = this.row.wins ? { color: this.ink.text } : this.fill;
    const bar = { at: { ...at, value }, shape: { kind: 'bar', fill, radius } } as const;
    return [this.track(at), this.part('bar', bar, { order: order.bar, from: { value: 0 } })];
  }
}

export function kitsOf(rows: readonly PictureRow[], task: Task): RowKit[] {
  return rows.map((row, at) => new RowKit(row, at, task));
}

export interface FigureSizes {
  readonly big: number;
  readonly small: number;
  readonly weight: number;
}

const FIGURES: FigureSizes = { big: rowType.best.size, small: rowType.count.size, weight: 700 };
/** Between the columns of counts and percentages. */
const FIGURE_GAP = 24;

/** What a presenter may not say yet. */
function isSecretRow({ isPublic }: PictureRow, { isVeiled }: Picture): boolean {
  return isVeiled && !isPublic;
}

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly font: Font;
  readonly isSoft: boolean;
  readonly width: number;
  format(value: number): string;
}

/** Count and percentage, in this order. They keep their widths while they run up. */
export class Figures {
  readonly list: readonly Figure[];
  readonly width: number;
  /** A lock before the figures of a secret row. */
  readonly lockWidth: number;

  constructor(row: PictureRow, { settings, wording, picture, room, type }: Task, sizes = FIGURES) {
    const { percent, votes, decimals } = row;
    const isShort = room.isCompact && isLongCount(picture.mostVotes);
    const hasBoth = settings.values === 'both';
    const figure = (name: string, value: number, font: Font, format: (value: number) => string): Figure => {
      const least = name === 'percent' ? type.figureWidth(format(88), font) : 0;
      const width = Math.max(least, type.figureWidth(format(value), font));
      return { name, value, font, isSoft: hasBoth && name === 'count', width, format };
    };
    const big = { size: sizes.big, weight: sizes.weight };
    const small = { size: sizes.small, weight: rowType.count.weight };
    const inPercent = figure('percent', percent, big, value => wording.percent(value, decimals));
    const count = figure('count', votes, hasBoth ? small : big, value => wording.count(value, isShort));
    this.list = { percent: [inPercent], count: [count], both: [count, inPercent] }[settings.values];
    this.lockWidth = isSecretRow(row, picture) ? 2 * PILL.inset + PILL.lock : 0;
    this.width = this.list.reduce((sum, { width }) => sum + width + FIGURE_GAP, this.lockWidth - FIGURE_GAP);
  }

  /**
   * The figures on one line, which ends at `end`.
   *
   * @param kit whose colors they have @param all whose columns they share
   */
  line(kit: RowKit, end: number, top: number, height: number, all: readonly Figures[] = [this]): Part[] {
    if (!kit.hasFigures) return [];
    let right = end;
    const parts = this.list
      .map((figure, at) => {
        const width = Math.max(...all.map(({ list }) => list[at]!.width));
        return { figure, width };
      })
      .reverse()
      .map(({ figure, width }) => {
        right -= width;
        const made = figurePart(kit, figure, boxAt(right, top, width, height), 'end');
        right -= FIGURE_GAP;
        return made;
      });
    const lock = boxAt(right + FIGURE_GAP - this.lockWidth, top, this.lockWidth, height);
    return this.lockWidth > 0 ? [lockPart(kit, lock), ...parts] : parts;
  }
}

/** The width of figures that share their columns. */
export function widthOfFigures(all: readonly Figures[]): number {
  const columns = all[0]?.list.map((_, at) => Math.max(...all.map(({ list }) => list[at]!.width))) ?? [];
  const lock = Math.max(0, ...all.map(({ lockWidth }) => lockWidth));
  return columns.reduce((sum, width) => sum + width + FIGURE_GAP, lock - FIGURE_GAP);
}

export function figurePart(kit: RowKit, figure: Figure, at: Box, align: Align): Part {
  const { name, value, font, isSoft, format } = figure;
  const { ink, row } = kit;
  const color = isSoft ? ink.soft : ink.text;
  return kit.part(
    name,
    { at: { ...at, value }, shape: { kind: 'figure', font, color, align, isPlain: row.wins, format } },
    { from: { alpha: 0, y: at.y + RISE, value: 0 } },
  );
}

function lockPart(kit: RowKit, at: Box): Part {
  const font = { size: SMALLEST_TEXT, weight: 700 };
  const words = { text: '', time: '', font, timeFont: font };
  const shape = {
    kind: 'pill',
    ...words,
    ground: '',
    edge: '',
    ink: kit.ink.text,
    radius: 0,
    mark: 'lock',
  } as const;
  return kit.part('lock', { at, shape });
}

/** The answers in one size. */
export interface Names {
  readonly text: FittedText;
  /** Width of each name. */
  readonly widths: readonly number[];
  /** What a body says of its answers. */
  readonly body: Pick<Body, 'isWhole' | 'isBroken' | 'isCut' | 'answerSize'>;
}

export function fitNames(
  rows: readonly PictureRow[],
  { type, room: { mostText = Number.POSITIVE_INFINITY } }: Task,
  room: Omit<TextRoom, 'weight'>,
): Names {
  const answers = rows.map(({ answer }) => answer);
  const largest = Math.max(room.floor, Math.min(room.largest, mostText));
  const fitted = type.fit(answers, { ...room, largest, weight: rowType.answer.weight });
  const { isWhole, isBroken, isCut, font, lines } = fitted;
  const widths = lines.map(shown => type.widest(shown, font));
  return { text: fitted, widths, body: { isWhole, isBroken, isCut, answerSize: font.size } };
}
