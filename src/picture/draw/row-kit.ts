import { type Fill, fillOfRow } from '../fill.ts';
import type { PictureRow } from '../picture.ts';
import { rowType } from '../row-look.ts';
import { LOST_ALPHA, onAccent } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import { type Body, hasFigures, isSeen, isStepped, type Task } from './body.ts';
import { type Align, type Box, box, boxAt, type Drawing, order, type Part, part, text } from './part.ts';
import type { FittedText, Font, TextRoom } from './type-setter.ts';

export const TAG = { height: 42, inset: 14, gap: 16 };
/** How far the plate of a winner reaches beyond its row. */
const WINNER_AIR = { x: 12, y: 8 };
const WINNER_SCALE = 1.04;
export const WINNER_LAG_MS = 350;
const SWEEP_MS = 900;
const RISE = 26;
const FRAME = { air: 12, apart: 4, least: 8 };
/** After the place before has come. */
const PULSE = { lagMs: 900, ms: 1_000 };

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
    this.fill = fillOfRow(row, settings, theme);
    const ink = onAccent(this.fill.color);
    this.ink = row.wins ? { text: ink, soft: ink, track: `${ink}33` } : theme;
    const won = row.wins ? (picture.tie ? phrases.tie : phrases.winner) : '';
    this.badge = isSeen(row, picture, settings) ? phrases.seen : won;
    this.badgeWidth = this.badge === '' ? 0 : type.width(this.badge, rowType.mark) + 2 * TAG.inset;
  }

  /** Opacity of all that belongs to the row. */
  get alpha(): number {
    return this.row.lost ? LOST_ALPHA : 1;
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
      // Together with its plate, on which its texts are written.
      ...(this.row.wins && { lagMs: WINNER_LAG_MS }),
      ...more,
    };
  }

  /** Plate and light of a winner; nothing for other rows. @param at the row itself */
  plate(at: Box): Part[] {
    const { id, wins } = this.row;
    if (!wins) return [];
    const radius = this.#radius;
    const plate = grownBy(at, WINNER_AIR.x, WINNER_AIR.y);
    const { color, edge } = this.fill;
    const entering = { row: id, lagMs: WINNER_LAG_MS };
    return [
      // Without a pattern, on which letters would be hard to read.
      part(`winner ${id}`, box(plate, { color, edge }, radius), {
        order: order.winner,
        from: { alpha: 0 },
        ...entering,
      }),
      part(
        `sweep ${id}`,
        { at: { ...plate, value: 1 }, shape: { kind: 'sweep', radius } },
        { order: order.light, from: { value: 0 }, ms: SWEEP_MS, ...entering },
      ),
    ];
  }

  /** The parts of a row; those of a winner on a plate, growing with it as far as it stays on the panel. */
  onPlate(at: Box, parts: readonly Part[]): readonly Part[] {
    if (!this.row.wins) return parts;
    const pivot = [at.x + at.width / 2, at.y + at.height / 2] as const;
    const most = (at.width + 2 * this.#task.theme.padding) / (at.width + 2 * WINNER_AIR.x);
    const scale = Math.max(1, Math.min(WINNER_SCALE, most));
    return [...this.plate(at), ...parts].map(one => ({ ...one, pivot, at: { ...one.at, scale } }));
  }

  /**
   * The empty frame of a row that a reveal by steps has yet to show. The last two pulse once, together.
   *
   * @param air between this frame's row and the next
   */
  frame(row: Box, air: number): Part[] {
    if (!this.isFramed || air < FRAME.least) return [];
    const { picture, theme } = this.#task;
    const radius = this.#radius;
    const at = grownBy(row, FRAME.air, Math.min(FRAME.air, air / 2 - FRAME.apart));
    const fill = { color: `${theme.soft}0d` };
    const frame = this.part(
      'frame',
      { at, shape: { kind: 'box', fill, radius, edge: `${theme.soft}73` } },
      { order: order.track, from: { alpha: 0 } },
    );
    if (picture.unrevealed !== 2) return [frame];
    const pulse = this.part(
      'pulse',
      { at: { ...at, value: 1 }, shape: { kind: 'pulse', color: theme.accent, radius } },
      { order: order.light, from: { value: 0 }, ...PULSE },
    );
    return [frame, pulse];
  }

  /** The picture of the answer. Its box depends on nothing that has yet to load. @param edge replaces its own */
  face(at: Box, edge = this.row.wins ? this.ink.text : this.fill.edge): Part {
    const size = [at.width, at.height] as const;
    const radius = Math.min(this.#radius, at.height / 5);
    const { color } = this.fill;
    return this.part('face', {
      at,
      shape: { kind: 'face', path: this.row.image, size, color, edge, radius },
    });
  }

  /** The badge: on the row's plate in the color of the text there, on the panel in that of the answer. */
  badgeAt(x: number, middle: number, ground: 'plate' | 'panel'): Part[] {
    if (this.badge === '') return [];
    const { theme, picture, settings } = this.#task;
    const { id } = this.row;
    const isOutlined = isSeen(this.row, picture, settings);
    const fill = isOutlined ? { color: theme.track, edge: theme.soft } : this.fill;
    const isOnPlate = ground === 'plate' && !isOutlined;
    const color = isOnPlate ? onAccent(fill.color) : fill.color;
    const edge = isOnPlate ? undefined : fill.edge;
    const ink = isOutlined ? theme.text : onAccent(color);
    const at = boxAt(x, middle - TAG.height / 2, this.badgeWidth, TAG.height);
    const entering = { row: id, lagMs: WINNER_LAG_MS, from: { alpha: 0 } };
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

  name({ text: { lines, font, lineHeight } }: Names, at: Box, align: Align = 'start'): Part {
    const shown = lines[this.#at] ?? [];
    const written = { lines: shown, font, align, color: this.ink.text, isPlain: this.row.wins };
    return this.part('name', text(at, shown.length === 1 ? written : { ...written, lineHeight }));
  }

  /** The track in this place, which stays while rows change places; striped without results. */
  track(at: Box): Part {
    const radius = Math.min(this.#task.theme.bar, at.height / 2);
    return part(
      `track ${this.#at}`,
      {
        at: { ...at, alpha: this.alpha },
        shape: { kind: 'track', color: this.ink.track, radius, isStriped: !this.hasFigures },
      },
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

function grownBy({ x, y, width, height }: Box, airX: number, airY: number): Box {
  return boxAt(x - airX, y - airY, width + 2 * airX, height + 2 * airY);
}

export interface FigureSizes {
  readonly big: number;
  readonly small: number;
  readonly weight: number;
}

const FIGURES: FigureSizes = { big: rowType.best.size, small: rowType.count.size, weight: 700 };
const MARK = '·';
const MARK_AIR = 10;

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
  readonly #markWidth: number;
  readonly #kit: RowKit;

  constructor(kit: RowKit, { settings, wording, picture, room, type }: Task, sizes = FIGURES) {
    this.#kit = kit;
    const { percent, votes } = kit.row;
    const isShort = room.isCompact && isLongCount(picture.mostVotes);
    const hasBoth = settings.values === 'both';
    const figure = (name: string, value: number, font: Font, format: (value: number) => string): Figure => {
      const least = name === 'percent' && hasBoth ? type.figureWidth(format(88), font) : 0;
      const width = Math.max(least, type.figureWidth(format(value), font));
      return { name, value, font, isSoft: hasBoth && name === 'count', width, format };
    };
    const big = { size: sizes.big, weight: sizes.weight };
    const small = { size: sizes.small, weight: rowType.count.weight };
    const inPercent = figure('percent', percent, big, value => wording.percent(value));
    const count = figure('count', votes, hasBoth ? small : big, value => wording.count(value, isShort));
    this.list = { percent: [inPercent], count: [count], both: [count, inPercent] }[settings.values];
    this.#markWidth = hasBoth ? type.width(MARK, big) + 2 * MARK_AIR : 0;
    this.width = this.list.reduce((sum, { width }) => sum + width, this.#markWidth);
  }

  /** The figures on one line, which ends at `end`. */
  line(end: number, top: number, height: number): Part[] {
    if (!this.#kit.hasFigures) return [];
    const parts: Part[] = [];
    let x = end - this.width;
    for (const [at, figure] of this.list.entries()) {
      if (at > 0) {
        parts.push(this.#mark(boxAt(x, top, this.#markWidth, height), figure.font));
        x += this.#markWidth;
      }
      parts.push(this.part(figure, boxAt(x, top, figure.width, height), 'end'));
      x += figure.width;
    }
    return parts;
  }

  part({ name, value, font, isSoft, format }: Figure, at: Box, align: Align): Part {
    const { ink, row } = this.#kit;
    const color = isSoft ? ink.soft : ink.text;
    return this.#kit.part(
      name,
      { at: { ...at, value }, shape: { kind: 'figure', font, color, align, isPlain: row.wins, format } },
      { from: { alpha: 0, y: at.y + RISE, value: 0 } },
    );
  }

  #mark(at: Box, font: Font): Part {
    const { ink, row } = this.#kit;
    const written = { lines: [MARK], font, color: ink.soft, align: 'center', isPlain: row.wins } as const;
    return this.#kit.part('mark', text(at, written));
  }
}

/** The answers in one size. */
export interface Names {
  readonly text: FittedText;
  /** Width of each name. */
  readonly widths: readonly number[];
  /** What a body says of its answers. */
  readonly body: Pick<Body, 'isWhole' | 'isCut' | 'answerSize'>;
}

export function fitNames(rows: readonly PictureRow[], { type }: Task, room: Omit<TextRoom, 'weight'>): Names {
  const answers = rows.map(({ answer }) => answer);
  const fitted = type.fit(answers, { ...room, weight: rowType.answer.weight });
  const { isWhole, isCut, font, lines } = fitted;
  const widths = lines.map(shown => type.widest(shown, font));
  return { text: fitted, widths, body: { isWhole, isCut, answerSize: font.size } };
}
