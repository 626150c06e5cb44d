import { type Fill, fillOfRow } from '../fill.ts';
import type { Settings } from '../parameters.ts';
import type { Picture, PictureRow } from '../picture.ts';
import { rowType } from '../row-look.ts';
import { styleTraits } from '../styles.ts';
import { LOST_ALPHA, onAccent, type Theme } from '../themes.ts';
import { isLongCount, type OverlayWording } from '../wording.ts';
import { type Align, type Part, type Place, place, type Shape } from './part.ts';
import type { FittedText, Font, TextRoom, TypeSetter } from './type-setter.ts';

/** What the bodies of all styles have in common. */

export interface Room {
  readonly width: number;
  readonly height: number;
  /** Long counts are written in few digits. */
  readonly isCompact: boolean;
  /** Rows may be as low as can be read, because answers would be left out otherwise. */
  readonly isTight?: boolean | undefined;
}

/** What an overlay shows or knows beside its poll. */
export interface Around {
  /** The relay or its engine is unreachable, so results may be stale. */
  readonly away: boolean;
  /** Title of the poll that the rundown has next; null for none, undefined where the rundown is unknown. */
  readonly next?: string | null | undefined;
  /** What people type in the chat of the show for each answer; absent or empty where none count. */
  readonly chatLabels?: readonly string[] | undefined;
  /** Site and join code, which a presenter reads out; undefined without a code. */
  readonly joinWords?: string | undefined;
}

export interface Task {
  readonly type: TypeSetter;
  readonly theme: Theme;
  readonly settings: Settings;
  readonly wording: OverlayWording;
  readonly picture: Picture;
  readonly room: Room;
  /** Which group or page of answers is shown, counting from 0; undefined for the first ones only. */
  readonly turn: number | undefined;
  readonly around: Around;
}

/** A body that is laid out. */
export interface Body {
  readonly height: number;
  /** Everything is at its largest. */
  readonly isWhole: boolean;
  /** A text has lost letters. */
  readonly isCut: boolean;
  /** Size of the answers, which the question must not exceed by far. */
  readonly answerSize: number;
  /** How many groups take turns; 1 for all styles but the ticker. */
  readonly turns?: number;
  /** The parts below `top`. The body begins at x = 0. */
  parts(top: number): Part[];
}

export interface Style {
  /** The largest type of an answer. */
  readonly answerSize: number;
  preferredWidth(answers: number): number;
  /** Heights that the body needs at least, and for everything. */
  heights(answers: readonly string[], width: number): { readonly least: number; readonly preferred: number };
  /** How many answers fit, at least 1. */
  fit(room: Room): number;
  layOut(task: Task): Body;
  /** On a full picture, the question is above the answers, which need its whole width, instead of beside them. */
  readonly isWide?: true;
}

export const NOTHING: Body = { height: 0, isWhole: true, isCut: false, answerSize: 0, parts: () => [] };

/** Orders from back to front. */
export const order = {
  screen: -1,
  image: -0.5,
  plate: 0,
  ground: 1,
  winner: 2,
  track: 3,
  bar: 4,
  text: 5,
  badge: 6,
  light: 7,
  mark: 9,
};

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

/** Whether figures of the row are drawn. */
export function hasFigures({ isRevealed }: PictureRow, { moment }: Picture): boolean {
  return isRevealed && moment !== 'upcoming';
}

/** Whether no row has figures. */
export function isBlank(picture: Picture): boolean {
  return !picture.rows.some(row => hasFigures(row, picture));
}

/** Some places of a hidden poll are revealed, others not. */
export function isStepped({ moment, revealedFrom }: Picture): boolean {
  return moment === 'hidden' && revealedFrom !== undefined;
}

/** Opacity of what belongs to a row. */
export function alphaOf(row: PictureRow): number {
  return row.lost ? LOST_ALPHA : 1;
}

/**
 * What the texts of a row are written in, and its bar: on the plate of a winner all have the color
 * of the plate's text.
 */
export function inksOf(row: PictureRow, task: Task) {
  const { theme } = task;
  const fill = fillIn(row, task);
  if (!row.wins) return { text: theme.text, soft: theme.soft, fill, track: theme.track, isPlain: false };
  const ink = onAccent(fill.color);
  return { text: ink, soft: ink, fill: { color: ink, pattern: undefined }, track: `${ink}33`, isPlain: true };
}

export function fillIn(row: PictureRow, { theme, settings }: Task): Fill {
  return fillOfRow(row, settings, theme);
}

type Text = Omit<Extract<Shape, { readonly kind: 'text' }>, 'kind'>;

export function textPart(key: string, text: Text, at: Place, more: Partial<Part> = {}): Part {
  return { key, shape: { kind: 'text', ...text }, at, order: order.text, ...more };
}

/** A part of a row, which rises into its place. */
export function rowPart(
  row: PictureRow,
  name: string,
  shape: Shape,
  at: Place,
  more: Partial<Part> = {},
): Part {
  return {
    key: `${name} ${row.id}`,
    shape,
    at: { ...at, alpha: at.alpha * alphaOf(row) },
    order: order.text,
    row: row.id,
    isOfRow: true,
    from: { alpha: 0, y: at.y + RISE },
    // Together with its plate, on which its texts are written.
    ...(row.wins && { lagMs: WINNER_LAG_MS }),
    ...more,
  };
}

/** Plate, light and growth of the winner's row. All its parts grow around the middle of the plate. */
export function winnerParts(row: PictureRow, box: Place, task: Task): Part[] {
  if (!row.wins) return [];
  const radius = roundIn(task);
  const plate = around(box, WINNER_AIR.x, WINNER_AIR.y);
  const { color, edge } = fillIn(row, task);
  const entering = { row: row.id, lagMs: WINNER_LAG_MS };
  return [
    {
      key: `winner ${row.id}`,
      // Without a pattern, on which letters would be hard to read.
      shape: { kind: 'box', fill: { color, edge, pattern: undefined }, radius },
      at: plate,
      order: order.winner,
      from: { alpha: 0 },
      ...entering,
    },
    {
      key: `sweep ${row.id}`,
      shape: { kind: 'sweep', radius },
      at: { ...plate, value: 1 },
      order: order.light,
      from: { value: 0 },
      ms: SWEEP_MS,
      ...entering,
    },
  ];
}

function roundIn({ theme }: Task): number {
  return Math.min(theme.radius, 14);
}

function around({ x, y, width, height }: Place, airX: number, airY: number): Place {
  return place(x - airX, y - airY, width + 2 * airX, height + 2 * airY);
}

/**
 * The empty frame of a row that a reveal by steps has yet to show. The last two pulse once, together.
 *
 * @param air between this frame's row and the next
 */
export function frameParts(row: PictureRow, box: Place, air: number, task: Task): Part[] {
  const { picture, theme } = task;
  if (!isFramed(row, picture) || air < FRAME.least) return [];
  const radius = roundIn(task);
  const at = around(box, FRAME.air, Math.min(FRAME.air, air / 2 - FRAME.apart));
  const fill = { color: `${theme.soft}0d`, pattern: undefined };
  const frame = rowPart(row, 'frame', { kind: 'box', fill, radius, edge: `${theme.soft}73` }, at, {
    order: order.track,
    from: { alpha: 0 },
  });
  if (picture.unrevealed !== 2) return [frame];
  const pulse = rowPart(
    row,
    'pulse',
    { kind: 'pulse', color: theme.accent, radius },
    { ...at, value: 1 },
    { order: order.light, from: { value: 0 }, lagMs: PULSE.lagMs, ms: PULSE.ms },
  );
  return [frame, pulse];
}

export function isFramed({ isRevealed }: PictureRow, picture: Picture): boolean {
  return isStepped(picture) && !isRevealed;
}

/** Whether a picture has a place for the picture of each answer. */
export function hasFaces({ rows }: Picture): boolean {
  return rows.some(({ image }) => image !== undefined);
}

/** The picture of an answer. Its box depends on nothing that has yet to load. */
export function facePart(row: PictureRow, at: Place, task: Task): Part {
  const { color, edge } = fillIn(row, task);
  const shape = {
    kind: 'face',
    path: row.image,
    size: [at.width, at.height],
    color,
    edge: row.wins ? inksOf(row, task).text : edge,
    radius: Math.min(roundIn(task), at.height / 5),
  } as const;
  return rowPart(row, 'face', shape, at);
}

/** Lets the parts of a winner's row grow together, as far as its plate stays on the panel. */
export function grow(row: PictureRow, box: Place, parts: readonly Part[], { theme }: Task): readonly Part[] {
  if (!row.wins) return parts;
  const pivot = [box.x + box.width / 2, box.y + box.height / 2] as const;
  const most = (box.width + 2 * theme.padding) / (box.width + 2 * WINNER_AIR.x);
  const scale = Math.max(1, Math.min(WINNER_SCALE, most));
  return parts.map(part => ({ ...part, pivot, at: { ...part.at, scale } }));
}

/**
 * The word of a winner; on a presenter's screen also that of a place that viewers see already,
 * before the reveal is complete.
 */
export function badgeOf(row: PictureRow, task: Task): string {
  const { picture, wording } = task;
  if (isSeen(row, picture, task.settings)) return wording.phrases.seen;
  if (!row.wins) return '';
  return picture.tie ? wording.phrases.tie : wording.phrases.winner;
}

export function isSeen(row: PictureRow, { secret }: Picture, { style }: Settings): boolean {
  return secret && row.isPublic && styleTraits[style].isOffAir === true;
}

export function badgeWidth(text: string, type: TypeSetter): number {
  return text === '' ? 0 : type.width(text, rowType.mark) + 2 * TAG.inset;
}

/** The word of a winner: on its plate in the color of the text there, on the panel in that of the answer. */
export function badgeParts(
  row: PictureRow,
  [x, middle]: readonly [x: number, middle: number],
  ground: 'plate' | 'panel',
  task: Task,
): Part[] {
  const text = badgeOf(row, task);
  if (text === '') return [];
  const width = badgeWidth(text, task.type);
  const isOutlined = isSeen(row, task.picture, task.settings);
  const fill = isOutlined ? { color: task.theme.track, edge: task.theme.soft } : fillIn(row, task);
  const color = ground === 'plate' && !isOutlined ? onAccent(fill.color) : fill.color;
  const edge = ground === 'plate' && !isOutlined ? undefined : fill.edge;
  const at = place(x, middle - TAG.height / 2, width, TAG.height);
  const entering = { row: row.id, lagMs: WINNER_LAG_MS, from: { alpha: 0 } };
  const radius = task.theme.radius === 0 ? 0 : 9;
  const ink = isOutlined ? task.theme.text : onAccent(color);
  const font = rowType.mark;
  const lineHeight = TAG.height;
  const written = { lines: [text], font, lineHeight, color: ink, align: 'center', isPlain: true } as const;
  return [
    {
      key: `badge ${row.id}`,
      shape: { kind: 'box', fill: { color, edge, pattern: undefined }, radius },
      at,
      order: order.badge,
      ...entering,
    },
    textPart(`badge text ${row.id}`, written, at, { order: order.light - 0.5, ...entering }),
  ];
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
  readonly markWidth: number;
  readonly #row: PictureRow;
  readonly #task: Task;

  constructor(row: PictureRow, task: Task, sizes: FigureSizes = FIGURES) {
    const { settings, wording, picture, room, type } = task;
    this.#row = row;
    this.#task = task;
    const isShort = room.isCompact && isLongCount(picture.mostVotes);
    const figure = (name: string, value: number, font: Font, format: (value: number) => string): Figure => {
      const least = name === 'percent' && settings.values === 'both' ? type.figureWidth(format(88), font) : 0;
      const width = Math.max(least, type.figureWidth(format(value), font));
      return { name, value, font, isSoft: settings.values === 'both' && name === 'count', width, format };
    };
    const big = { size: sizes.big, weight: sizes.weight };
    const small = { size: sizes.small, weight: rowType.count.weight };
    const percent = figure('percent', row.percent, big, value => wording.percent(value));
    const count = figure('count', row.votes, settings.values === 'both' ? small : big, value =>
      wording.count(value, isShort),
    );
    this.list = { percent: [percent], count: [count], both: [count, percent] }[settings.values];
    this.markWidth = this.list.length > 1 ? type.width(MARK, big) + 2 * MARK_AIR : 0;
    this.width = this.list.reduce((sum, { width }) => sum + width, this.markWidth);
  }

  /** The figures on one line, which ends at `end`. */
  line(end: number, top: number, height: number): Part[] {
    if (!hasFigures(this.#row, this.#task.picture)) return [];
    const parts: Part[] = [];
    let x = end - this.width;
    for (const [at, figure] of this.list.entries()) {
      if (at > 0) {
        parts.push(this.#mark(x, top, height));
        x += this.markWidth;
      }
      parts.push(this.part(figure, place(x, top, figure.width, height), 'end'));
      x += figure.width;
    }
    return parts;
  }

  part({ name, value, font, isSoft, format }: Figure, at: Place, align: Align): Part {
    const row = this.#row;
    const { text, soft, isPlain } = inksOf(row, this.#task);
    const shape = { kind: 'figure', font, color: isSoft ? soft : text, align, isPlain, format } as const;
    return rowPart(row, name, shape, { ...at, value }, { from: { alpha: 0, y: at.y + RISE, value: 0 } });
  }

  #mark(x: number, top: number, height: number): Part {
    const { soft, isPlain } = inksOf(this.#row, this.#task);
    const { font } = this.list[1]!;
    const written = {
      lines: [MARK],
      font,
      lineHeight: height,
      color: soft,
      align: 'center',
      isPlain,
    } as const;
    const shape = { kind: 'text', ...written } as const;
    return rowPart(this.#row, 'mark', shape, place(x, top, this.markWidth, height));
  }
}

export interface Names {
  readonly text: FittedText;
  /** Width of each name. */
  readonly widths: readonly number[];
}

export function fitNames(task: Task, room: Omit<TextRoom, 'weight'>): Names {
  const { type, picture } = task;
  const text = type.fit(
    picture.rows.map(({ answer }) => answer),
    { ...room, weight: rowType.answer.weight },
  );
  const widths = text.lines.map(lines => type.widest(lines, text.font));
  return { text, widths };
}

export function namePart(names: Names, at: number, where: Place, task: Task, align: Align = 'start'): Part {
  const row = task.picture.rows[at]!;
  const { text, isPlain } = inksOf(row, task);
  const { font, lines, lineHeight } = names.text;
  const shown = lines[at] ?? [];
  const height = shown.length === 1 ? where.height : lineHeight;
  const written = { lines: shown, font, lineHeight: height, color: text, align, isPlain };
  const shape = { kind: 'text', ...written } as const;
  return rowPart(row, 'name', shape, where);
}

/** The track of the row in this place, which stays while rows change places; striped without results. */
export function trackPart(row: PictureRow, at: number, where: Place, task: Task): Part {
  const { theme, picture } = task;
  const radius = Math.min(theme.bar, where.height / 2);
  const shape = {
    kind: 'track',
    color: inksOf(row, task).track,
    radius,
    isStriped: !hasFigures(row, picture),
  } as const;
  return {
    key: `track ${at}`,
    shape,
    at: { ...where, alpha: alphaOf(row) },
    order: order.track,
    from: { alpha: 0 },
  };
}

/** Track and bar. */
export function barParts(row: PictureRow, at: number, where: Place, value: number, task: Task): Part[] {
  // An empty frame has no bar.
  if (isFramed(row, task.picture)) return [];
  const track = trackPart(row, at, where, task);
  if (!hasFigures(row, task.picture)) return [track];
  const radius = Math.min(task.theme.bar, where.height / 2);
  const shape = { kind: 'bar', fill: inksOf(row, task).fill, radius } as const;
  return [track, rowPart(row, 'bar', shape, { ...where, value }, { order: order.bar, from: { value: 0 } })];
}
