import { badgeOf, fillOf } from '../picture/fill.ts';
import type { Settings } from '../picture/parameters.ts';
import type { Picture, PictureRow } from '../picture/picture.ts';
import { rowSpace, rowType } from '../picture/row-look.ts';
import type { DrawingStyle } from '../picture/styles.ts';
import { lineHeightOf } from '../picture/text.ts';
import { onAccent, SMALLEST_TEXT, typeScale } from '../picture/themes.ts';
import { isLongCount, type OverlayWording } from '../picture/wording.ts';
import { baselineIn, type FittedText, type Font, type Ink, type Pen, type TextRoom } from './pen.ts';

/** The styles. Their measures are those of the scripts and style sheets in `browser/drawing`. */

export interface Room {
  readonly width: number;
  readonly height: number;
  /** Long counts are written in few digits. */
  readonly isCompact: boolean;
}

export interface Task {
  readonly pen: Pen;
  readonly settings: Settings;
  readonly wording: OverlayWording;
  readonly picture: Picture;
  readonly room: Room;
}

/** A body that is laid out. */
export interface Body {
  readonly height: number;
  /** Everything is at its largest, so a larger scale may be tried. */
  readonly isWhole: boolean;
  draw(top: number): void;
}

export interface Style {
  /** The largest type of an answer. A title is never smaller. */
  readonly answerSize: number;
  preferredWidth(answers: number): number;
  /** Heights that the body needs at least, and for everything. */
  heights(answers: readonly string[], width: number): { readonly least: number; readonly preferred: number };
  /** How many answers fit, at least 1. */
  fit(room: Room): number;
  layOut(task: Task): Body;
}

interface Figure {
  readonly text: string;
  readonly font: Font;
  readonly color: string;
  readonly width: number;
}

interface FigureSizes {
  readonly big?: number;
  readonly small?: number;
  readonly bold?: number;
  readonly tracking?: number;
  readonly least?: number;
}

export const TAG = rowType.mark.size * 1.4;
const LINE = 1.25;

export function isBlank({ moment }: Picture): boolean {
  return moment === 'hidden' || moment === 'upcoming';
}

/** Styles in which the names of losers are fainter, not only their colours. */
const FAINT_NAMES: readonly DrawingStyle[] = ['bars', 'columns', 'ticker'];

function inkOf(row: PictureRow, { pen, settings }: Task): string {
  return row.lost && FAINT_NAMES.includes(settings.style) ? pen.theme.soft : pen.theme.text;
}

/** Count and percentage, in this order. */
function figuresOf(row: PictureRow, task: Task, sizes: FigureSizes = {}): Figure[] {
  const { pen, settings, wording, picture, room } = task;
  const main = row.leads ? rowType.best : rowType.figure;
  const { big = main.size, bold = main.weight, small = rowType.count.size, tracking = 0 } = sizes;
  const { least = rowType.best.size * (2.35 + settings.decimals * 0.65) } = sizes;
  const count = wording.count(row.votes, room.isCompact && isLongCount(picture.mostVotes));
  const percent = wording.percent(row.percent);
  const bigFont = { size: big, weight: bold, tracking };
  const figure = (text: string, font: Font, color: string, least = 0) => ({
    text,
    font,
    color,
    width: Math.max(least, pen.width(text, font)),
  });
  if (settings.values === 'count') return [figure(count, bigFont, inkOf(row, task))];
  const last = figure(percent, bigFont, inkOf(row, task), settings.values === 'both' ? least : 0);
  if (settings.values === 'percent') return [last];
  return [figure(count, { size: small, weight: rowType.count.weight }, pen.theme.soft), last];
}

function widthOf(figures: readonly Figure[], gap: number): number {
  return figures.reduce((sum, { width }) => sum + width, gap * (figures.length - 1));
}

/** Draws figures that end at `end`. */
function drawFigures(
  figures: readonly Figure[],
  end: number,
  baseline: number,
  gap: number,
  task: Task,
): void {
  if (isBlank(task.picture)) return;
  let x = end - widthOf(figures, gap);
  for (const { text, font, color, width } of figures) {
    task.pen.write(text, x, baseline, font, { color, align: 'end' }, width);
    x += width + gap;
  }
}

/** The baseline of texts in one line, below the top of the highest of them. */
function sharedBaseline(...fonts: readonly (readonly [size: number, lineHeight: number])[]): number {
  return Math.max(...fonts.map(([size, lineHeight]) => baselineIn(size * lineHeight, size)));
}

function figureLine(figures: readonly Figure[]): (readonly [number, number])[] {
  return figures.map(({ font }, at) => [font.size, at === figures.length - 1 ? 1 : LINE]);
}

export function tagWidth(text: string, pen: Pen): number {
  return text === '' ? 0 : pen.width(text, rowType.mark) + rowType.mark.size;
}

function drawTag(text: string, x: number, top: number, { pen }: Task): void {
  if (text === '') return;
  const { accent } = pen.theme;
  const { size } = rowType.mark;
  pen.box(x, top, tagWidth(text, pen), TAG, 0.28 * size, accent);
  pen.write(text, x + size / 2, top + baselineIn(TAG, size), rowType.mark, {
    color: onAccent(accent),
    isPlain: true,
  });
}

interface Names {
  readonly text: FittedText;
  /** A badge would take room that a name needs, so the winner's name itself is the badge. */
  readonly isUntagged: boolean;
}

function fitNames(task: Task, room: TextRoom, gap: number): Names {
  const { pen, picture, wording } = task;
  const texts = picture.rows.map(({ answer }) => answer);
  const text = pen.fit(texts, room);
  const isUntagged = picture.rows.some((row, at) => {
    const tag = tagWidth(badgeOf(row, picture, wording), pen);
    const widest = Math.max(0, ...(text.lines[at] ?? []).map(line => pen.width(line, text.font)));
    return tag > 0 && widest + gap + tag > room.width(at);
  });
  return { text, isUntagged };
}

/** Draws a name, on a plate if it is the badge of a winner. @returns its width */
function drawName(
  names: Names,
  at: number,
  [x, top, width]: readonly [x: number, top: number, width: number],
  task: Task,
  lineHeight?: number,
  align: NonNullable<Ink['align']> = 'start',
): number {
  const { pen, picture } = task;
  const row = picture.rows[at]!;
  const text = lineHeight === undefined ? names.text : { ...names.text, lineHeight };
  const lines = text.lines[at] ?? [];
  const widest = Math.max(0, ...lines.map(line => pen.width(line, text.font)));
  const isPlate = names.isUntagged && row.wins;
  const { accent } = pen.theme;
  if (isPlate) {
    const box = align === 'center' ? width : Math.min(width, widest);
    const from = align === 'end' ? x + width - box : x;
    pen.box(from - 5, top - 5, box + 10, lines.length * text.font.size * text.lineHeight + 10, 9, accent);
  }
  const color = isPlate ? onAccent(accent) : inkOf(row, task);
  pen.writeLines(text, at, x, top, width, { color, align, isPlain: isPlate });
  return widest;
}

const { line, air, bar, gap, between, figures: figureGap } = rowSpace;
const ROOMY = {
  pitch: line + air + bar + gap,
  gap,
  line,
  air,
  bar,
  text: rowType.answer.size as number,
  big: {},
};
const TIGHT = { pitch: 86, gap: 24, line: 40, air: 8, bar: 14, text: 32, big: { big: 38 } };
const NARROW_BARS = 600;

function heightOfRows(rows: number, { pitch, gap }: { pitch: number; gap: number }): number {
  return rows * pitch - gap;
}

const bars: Style = {
  answerSize: ROOMY.text,
  preferredWidth: () => 860,
  heights: answers => ({ least: heightOfRows(1, TIGHT), preferred: heightOfRows(answers.length, TIGHT) }),
  fit: room => Math.max(1, Math.floor((room.height + TIGHT.gap) / TIGHT.pitch)),
  layOut(task) {
    const { pen, settings, wording, picture, room } = task;
    const { rows } = picture;
    const isRoomy = heightOfRows(rows.length, ROOMY) <= room.height && room.width >= NARROW_BARS;
    const measure = isRoomy ? ROOMY : TIGHT;
    const figures = rows.map(row => figuresOf(row, task, row.leads ? measure.big : {}));
    const widthFor = (at: number) => room.width - widthOf(figures[at]!, figureGap) - between;
    const type = { weight: rowType.answer.weight, largest: measure.text, floor: SMALLEST_TEXT };
    const names = fitNames(task, { ...type, width: widthFor }, between);
    const { size } = names.text.font;
    return {
      height: heightOfRows(rows.length, measure),
      isWhole: isRoomy && names.text.isWhole && !names.isUntagged,
      draw(top) {
        for (const [at, row] of rows.entries()) {
          const y = top + at * measure.pitch;
          const baseline = y + sharedBaseline([size, LINE], ...figureLine(figures[at]!));
          const lineTop = baseline - baselineIn(size * LINE, size);
          const width = drawName(names, at, [0, lineTop, widthFor(at)], task, LINE);
          if (!names.isUntagged) {
            const tagTop = baseline - baselineIn(TAG, rowType.mark.size);
            drawTag(badgeOf(row, picture, wording), width + between, tagTop, task);
          }
          drawFigures(figures[at]!, room.width, baseline, figureGap, task);
          const box = [0, y + measure.line + measure.air, room.width, measure.bar] as const;
          pen.track(...box, isBlank(picture));
          pen.fill(...box, row.length, fillOf(row.place, settings), row.lost);
        }
      },
    };
  },
};

const COLUMN = { narrowest: 165, widest: 230, narrowestInColumn: 100, tallest: 560, lowest: 24 };
const COLUMN_LABEL = typeScale.answer.size * 0.9;
const COLUMN_LINE = 44;
const DIGIT_WIDTH = { both: 19, percent: 0, count: 28 };

function columnLabelRoom(answers: readonly string[]): number {
  return 20 + 2 * COLUMN_LABEL * lineHeightOf(answers);
}

const columns: Style = {
  answerSize: COLUMN_LABEL,
  preferredWidth: answers => Math.max(640, answers * COLUMN.widest),
  heights: answers => ({
    least: 2 * COLUMN_LINE + 8 + COLUMN.lowest + columnLabelRoom(answers),
    preferred: 420,
  }),
  fit: ({ width }) =>
    Math.max(1, Math.floor(width / (width < 640 ? COLUMN.narrowestInColumn : COLUMN.narrowest))),
  layOut(task) {
    const { pen, settings, wording, picture, room } = task;
    const { rows } = picture;
    const answers = rows.map(({ answer }) => answer);
    const height = Math.min(COLUMN.tallest, room.height);
    const pitch = Math.min(COLUMN.widest * 1.4, room.width / Math.max(1, rows.length));
    const isSlim = pitch < COLUMN.narrowest;
    const valueRoom = COLUMN_LINE * (settings.values === 'both' ? 2 : 1) + 8;
    const tall = Math.max(COLUMN.lowest, height - valueRoom - columnLabelRoom(answers));
    const lack = wording.number(picture.mostVotes).length * DIGIT_WIDTH[settings.values] - pitch;
    const inner = { ...task, room: { ...room, isCompact: room.isCompact || lack > 0 } };
    const floor = isSlim ? 12 / pen.unitPx : SMALLEST_TEXT;
    const type = { weight: rowType.answer.weight, largest: COLUMN_LABEL, floor };
    const text = pen.fit(answers, { ...type, width: () => pitch - 6, lines: () => 2 });
    const names = { text, isUntagged: true };
    const sizes = { least: 0, ...(isSlim && { big: 30, small: Math.max(12 / pen.unitPx, 24) }) };
    return {
      height,
      isWhole: text.isWhole && lack <= 0,
      draw(top) {
        pen.box(0, top + valueRoom + tall, room.width, 2.5, 0, pen.theme.track);
        for (const [at, row] of rows.entries()) {
          const x = at * pitch;
          const figures = figuresOf(row, inner, sizes);
          const shaft = [x + pitch * 0.17, top + valueRoom, pitch * 0.66, tall] as const;
          if (isBlank(picture)) pen.track(...shaft, true);
          else {
            let above = top + valueRoom + tall * (1 - row.length) - 8;
            for (const [line, { text, font, color }] of figures.entries()) {
              const lineHeight = line === figures.length - 1 ? font.size : COLUMN_LINE;
              above -= lineHeight;
              pen.write(
                text,
                x,
                above + baselineIn(lineHeight, font.size),
                font,
                { color, align: 'center' },
                pitch,
              );
            }
            const filled = tall * row.length;
            const radius = Math.min(pen.theme.bar, filled);
            pen.context.globalAlpha = row.lost ? 0.45 : 1;
            const corners = [radius, radius, 0, 0];
            pen.painted(
              shaft[0],
              top + valueRoom + tall - filled,
              shaft[2],
              filled,
              corners,
              fillOf(row.place, settings),
            );
            pen.context.globalAlpha = 1;
          }
          drawName(names, at, [x + 3, top + valueRoom + tall + 14, pitch - 6], task, undefined, 'center');
        }
      },
    };
  },
};

const RING = { beside: 360, stacked: 320, least: 150, named: 300, gap: 44 };
const ENTRY = { height: 64, swatch: 26, gap: 18, text: 34 };
const MOST_PARTS = 8;
const SEAM = 0.005;

function isStacked({ width }: Pick<Room, 'width'>): boolean {
  return width < 720;
}

function ringOf(room: Room): number {
  if (!isStacked(room)) return Math.max(RING.least, Math.min(RING.beside, room.height));
  const size = Math.min(RING.stacked, room.height - RING.gap - 2 * ENTRY.height);
  return size < RING.least ? 0 : size;
}

const donut: Style = {
  answerSize: ENTRY.text,
  preferredWidth: () => 1120,
  heights(answers, width) {
    const list = Math.min(MOST_PARTS, answers.length) * ENTRY.height;
    return isStacked({ width })
      ? { least: 2 * ENTRY.height, preferred: RING.stacked + RING.gap + list }
      : { least: RING.least, preferred: Math.max(RING.beside, list) };
  },
  fit(room) {
    const forList = isStacked(room) ? room.height - ringOf(room) - RING.gap : room.height;
    return Math.max(1, Math.min(MOST_PARTS, Math.floor(forList / ENTRY.height)));
  },
  layOut(task) {
    const { pen, settings, wording, picture, room } = task;
    const { rows } = picture;
    const stacked = isStacked(room);
    const ring = ringOf(room);
    const list = rows.length * ENTRY.height;
    const from = stacked ? 0 : ring + RING.gap;
    const width = room.width - from;
    const figures = rows.map(row => figuresOf(row, task));
    const before = ENTRY.swatch + ENTRY.gap;
    const nameWidth = (at: number) => width - before - widthOf(figures[at]!, figureGap) - ENTRY.gap;
    const type = { weight: rowType.answer.weight, largest: ENTRY.text, floor: SMALLEST_TEXT };
    const names = fitNames(task, { ...type, width: nameWidth }, ENTRY.gap);
    const { size } = names.text.font;
    const height = stacked ? (ring > 0 ? ring + RING.gap : 0) + list : Math.max(ring, list);
    return {
      height,
      isWhole: names.text.isWhole && !names.isUntagged && ring >= RING.named,
      draw(top) {
        if (ring > 0)
          drawRing(
            task,
            ring,
            stacked ? (room.width - ring) / 2 : 0,
            top + (stacked ? 0 : (height - ring) / 2),
          );
        const listTop = stacked ? top + height - list : top + (height - list) / 2;
        for (const [at, row] of rows.entries()) {
          const middle = listTop + (at + 0.5) * ENTRY.height;
          const swatch = [from, middle - ENTRY.swatch / 2, ENTRY.swatch, ENTRY.swatch] as const;
          pen.painted(...swatch, pen.theme.bar, fillOf(row.place, settings));
          drawName(names, at, [from + before, middle - (size * LINE) / 2, nameWidth(at)], task, LINE);
          const tag = names.isUntagged ? '' : badgeOf(row, picture, wording);
          const end = room.width - widthOf(figures[at]!, figureGap) - ENTRY.gap;
          drawTag(tag, end - tagWidth(tag, pen), middle - TAG / 2, task);
          const baseline = sharedBaseline(...figureLine(figures[at]!));
          const below = Math.max(
            ...figureLine(figures[at]!).map(([size, high]) => size * high - baselineIn(size * high, size)),
          );
          drawFigures(figures[at]!, room.width, middle - (baseline + below) / 2 + baseline, figureGap, task);
        }
      },
    };
  },
};

function drawRing({ pen, settings, wording, picture }: Task, ring: number, x: number, top: number): void {
  const { context, theme } = pen;
  const [left, unit] = [pen.leftOf(x, ring), ring / 200];
  const arc = (from: number, part: number, paint: Parameters<typeof Object.assign>[1]) => {
    const turn = (share: number) => (share - 0.25) * 2 * Math.PI;
    context.save();
    context.translate(left, top);
    context.scale(unit, unit);
    Object.assign(context, { lineWidth: 34, lineCap: 'butt' }, paint);
    context.beginPath();
    // A whole circle would be empty.
    for (const at of [from, from + part / 2]) context.arc(100, 100, 80, turn(at), turn(at + part / 2));
    context.stroke();
    context.restore();
  };
  arc(0, 1, { strokeStyle: theme.track });
  let begin = 0;
  for (const { place, share, lost } of picture.rows) {
    const { color, pattern } = fillOf(place, settings);
    const part = share > 0.9999 ? 1 : Math.max(0, share - SEAM);
    const globalAlpha = lost ? 0.45 : 1;
    if (part > 0) arc(begin, part, { strokeStyle: color, globalAlpha });
    if (part > 0 && pattern !== undefined)
      arc(begin, part, { strokeStyle: pen.pattern(pattern, 0.55), globalAlpha });
    begin += share;
  }
  const leaders = picture.rows.filter(row => row.leads);
  if (settings.values === 'count' || leaders.length === 0) return;
  const best = { size: ring * 0.19, weight: rowType.best.weight, tracking: -0.02 };
  const named = leaders.length === 1 && ring >= RING.named ? [leaders[0]!.answer] : [];
  const type = { weight: rowType.answer.weight, largest: SMALLEST_TEXT, floor: SMALLEST_TEXT };
  const name = pen.fit(named, { ...type, width: () => ring * 0.58, lines: () => 2 });
  const below = (name.lines[0]?.length ?? 0) * SMALLEST_TEXT * name.lineHeight;
  const line = best.size * 1.1;
  const y = top + (ring - line - below) / 2;
  const ink = { color: theme.text, align: 'center' } as const;
  pen.write(wording.percent(leaders[0]!.percent), x, y + baselineIn(line, best.size), best, ink, ring);
  pen.writeLines(name, 0, x, y + line, ring, { color: theme.soft, align: 'center' });
}

const VERSUS = {
  text: 44,
  lowText: 36,
  gap: 48,
  tightBelow: 960,
  lowBelow: 340,
  count: 38,
  leastBig: 40,
  bigLine: 1.1,
};

const versus: Style = {
  answerSize: VERSUS.text,
  preferredWidth: () => 1240,
  heights: answers => ({
    least: VERSUS.bigLine * VERSUS.leastBig + VERSUS.count + 2 * VERSUS.lowText * lineHeightOf(answers) + 46,
    preferred: VERSUS.lowBelow,
  }),
  fit: () => 2,
  layOut(task) {
    const { pen, settings, wording, picture, room } = task;
    const rows = [...picture.rows].sort((one, other) => one.place - other.place);
    const inner = { ...task, picture: { ...picture, rows } };
    const [isTight, isLow] = [room.width < VERSUS.tightBelow, room.height < VERSUS.lowBelow];
    const largest = isLow ? VERSUS.lowText : VERSUS.text;
    const answers = rows.map(({ answer }) => answer);
    const [margin, bar, reach] = isLow ? [11, 28, 42] : [18, 44, 58];
    const stacksFigures = isTight && settings.values === 'both';
    const around =
      2 * largest * lineHeightOf(answers) + (isLow ? 46 : 42 + 76) + (stacksFigures ? VERSUS.count : 0);
    const inCounts = settings.values === 'count';
    const most = isTight ? (inCounts ? 36 : 76) : inCounts ? 72 : 108;
    const big = Math.min(most, Math.max(VERSUS.leastBig, (room.height - around) / VERSUS.bigLine));
    const width = (room.width - VERSUS.gap) / 2;
    const type = { weight: rowType.answer.weight, largest, floor: SMALLEST_TEXT };
    const text = pen.fit(answers, { ...type, width: () => width, lines: () => 2 });
    const names = { text, isUntagged: isLow };
    const sizes = { big, bold: rowType.best.weight, tracking: -0.03, least: 0 };
    const figures = rows.map(row => figuresOf(row, inner, sizes));
    const valuesHeight = big * VERSUS.bigLine + (stacksFigures ? rowType.count.size * LINE : 0);
    const tagOf = (row: PictureRow) => (isLow ? '' : badgeOf(row, picture, wording));
    const heightOf = (row: PictureRow, at: number) =>
      (tagOf(row) === '' ? 0 : TAG + 2) +
      text.lines[at]!.length * text.font.size * text.lineHeight +
      2 +
      valuesHeight;
    const sides = Math.max(0, ...rows.map(heightOf));
    return {
      height: sides + margin + bar,
      isWhole: text.isWhole && !isLow && !isTight,
      draw(top) {
        const track = [0, top + sides + margin, room.width, bar] as const;
        pen.track(...track, isBlank(picture));
        for (const [at, row] of rows.entries()) {
          const [x, align] = at === 0 ? ([0, 'start'] as const) : ([width + VERSUS.gap, 'end'] as const);
          let y = top + sides - heightOf(row, at);
          const tag = tagOf(row);
          if (tag !== '') {
            drawTag(tag, at === 0 ? 0 : room.width - tagWidth(tag, pen), y, task);
            y += TAG + 2;
          }
          drawName(names, at, [x, y, width], inner, undefined, align);
          const baseline = top + sides - valuesHeight + baselineIn(big * VERSUS.bigLine, big);
          drawSide(figures[at]!, { x, width, align, baseline, stacksFigures }, inner);
          pen.fill(...track, at === 0 ? row.share : -row.share, fillOf(row.place, settings), row.lost);
        }
        if (picture.answers <= 2)
          pen.box(room.width / 2 - 1.5, track[1] + bar + 7 - reach, 3, reach, 0, pen.theme.text);
      },
    };
  },
};

/** The percentage at the outer edge, and the count beside or below it. */
function drawSide(
  figures: readonly Figure[],
  place: { x: number; width: number; align: 'start' | 'end'; baseline: number; stacksFigures: boolean },
  { pen, picture }: Task,
): void {
  if (isBlank(picture)) return;
  let { x, width, baseline } = place;
  for (const { text, font, color, width: own } of figures.toReversed()) {
    pen.write(text, x, baseline, font, { color, align: place.align }, width);
    if (place.stacksFigures) baseline += rowType.count.size * LINE + 4;
    else if (place.align === 'start') x += own + 22;
    else width -= own + 22;
  }
}

const STRIP_NARROWEST = { percent: 370, count: 390, both: 430 };
const STRIP = { height: 76, text: 34, gap: 12, swatch: 10, end: 20, turns: 100, turnsGap: 20 };
/** In letters: what is around a name, and the length from which names get no more room. */
const [AROUND, LONGEST] = [14, 40];
const WIDE = /[\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g;

/** One line. Of answers that take turns on screen, the first group. */
const ticker: Style = {
  answerSize: STRIP.text,
  preferredWidth: () => 1766,
  heights: () => ({ least: STRIP.height, preferred: STRIP.height }),
  fit: () => Number.POSITIVE_INFINITY,
  layOut(task) {
    const { rows } = task.picture;
    const { width } = task.room;
    const slotsIn = (room: number) => Math.max(1, Math.floor(room / STRIP_NARROWEST[task.settings.values]));
    const most = slotsIn(width) >= rows.length ? rows.length : slotsIn(width - STRIP.turns - STRIP.turnsGap);
    let best = layOutGroup(task, Math.max(1, Math.min(most, rows.length)));
    for (let slots = most - 1; slots > 0 && best.isCut; slots--) {
      const tried = layOutGroup(task, slots);
      if (!tried.isCut) best = tried;
    }
    return best;
  },
};

function layOutGroup(task: Task, slots: number): Body & { isCut: boolean } {
  const { pen, settings, wording, picture, room } = task;
  const rows = picture.rows.slice(0, slots);
  const inner = { ...task, picture: { ...picture, rows } };
  const groups = Math.ceil(picture.rows.length / slots);
  const lane = room.width - (groups > 1 ? STRIP.turns + STRIP.turnsGap : 0);
  const lengths = rows.map(({ answer }) => AROUND + Math.min(LONGEST, answer.replace(WIDE, '$&$&').length));
  const sum = lengths.reduce((all, length) => all + length, 0);
  const widths = lengths.map(length => (lane * length) / sum);
  const figures = rows.map(row => figuresOf(row, inner, { least: 0 }));
  const before = STRIP.swatch + STRIP.gap;
  const nameWidth = (at: number) =>
    widths[at]! - before - widthOf(figures[at]!, STRIP.gap) - STRIP.gap - STRIP.end;
  const type = { weight: rowType.answer.weight, largest: STRIP.text, floor: SMALLEST_TEXT };
  const text = pen.fit(
    rows.map(({ answer }) => answer),
    { ...type, width: nameWidth },
  );
  const names = { text, isUntagged: true };
  return {
    height: STRIP.height,
    isWhole: text.isWhole,
    isCut: text.isCut,
    draw(top) {
      const middle = top + STRIP.height / 2;
      let x = 0;
      for (const [at, row] of rows.entries()) {
        pen.painted(
          x,
          middle - 26,
          STRIP.swatch,
          52,
          Math.min(5, pen.theme.bar),
          fillOf(row.place, settings),
        );
        const { size } = text.font;
        const width = drawName(
          names,
          at,
          [x + before, middle - (size * LINE) / 2, nameWidth(at)],
          inner,
          LINE,
        );
        const baseline = middle - size / 2 + baselineIn(size, size);
        drawFigures(
          figures[at]!,
          x + before + width + STRIP.gap + widthOf(figures[at]!, STRIP.gap),
          baseline,
          STRIP.gap,
          inner,
        );
        x += widths[at]!;
      }
      if (groups === 1) return;
      const turns = `${wording.number(1)}/${wording.number(groups)}`;
      const ink = { color: pen.theme.soft, align: 'end' } as const;
      pen.write(
        turns,
        room.width - STRIP.turns,
        middle - 18 + baselineIn(36, typeScale.note.size),
        typeScale.note,
        ink,
        STRIP.turns,
      );
    },
  };
}

const BIG = { number: 230, text: 48, track: 58, least: 72, gap: 20 };

function belowNumber(answers: readonly string[]): number {
  return BIG.track + 2 * BIG.text * lineHeightOf(answers);
}

const bigNumber: Style = {
  answerSize: BIG.text,
  preferredWidth: () => 760,
  heights(answers) {
    const below = belowNumber(answers);
    return { least: BIG.least + below, preferred: BIG.number + below };
  },
  fit: () => Number.POSITIVE_INFINITY,
  layOut(task) {
    const { pen, settings, wording, picture, room } = task;
    const byVotes = [...picture.rows].sort(
      (one, other) => other.votes - one.votes || one.place - other.place,
    );
    const row = picture.rows.find(({ place }) => place + 1 === settings.answer) ?? byVotes[0]!;
    if (isBlank(picture)) return { height: 0, isWhole: true, draw() {} };
    const number =
      settings.values === 'count' ? wording.count(row.votes, false) : wording.percent(row.percent);
    const most = Math.max(BIG.least, room.height - belowNumber([row.answer]));
    const figureType = { weight: rowType.best.weight, tracking: -0.04 };
    const widest = room.width / pen.width(number, { size: 1, ...figureType });
    const size = Math.min(BIG.number, most, widest);
    const isNamed = row.leads || row.place + 1 === settings.answer;
    const shared = row.wins && picture.tie ? picture.rows.filter(({ wins }) => wins) : [row];
    const label = isNamed ? wording.list(shared.map(({ answer }) => answer)) : '';
    const inner = { ...task, picture: { ...picture, rows: [{ ...row, answer: label }] } };
    const count = wording.count(row.votes, room.isCompact && isLongCount(picture.mostVotes));
    const countFont = { size: 32, weight: 500 };
    const countWidth = settings.values === 'both' && isNamed ? pen.width(count, countFont) + BIG.gap : 0;
    const type = { weight: rowType.answer.weight, largest: BIG.text, floor: SMALLEST_TEXT };
    const names = fitNames(inner, { ...type, width: () => room.width - countWidth, lines: () => 2 }, BIG.gap);
    const { font, lines, lineHeight } = names.text;
    return {
      height: size + BIG.track + (lines[0]?.length ?? 0) * font.size * lineHeight,
      isWhole: size === BIG.number && names.text.isWhole,
      draw(top) {
        const numberFont = { size, ...figureType };
        pen.write(number, 0, top + baselineIn(size, size), numberFont, { color: pen.theme.text });
        const track = [0, top + size + 18, room.width, 22] as const;
        pen.track(...track, false);
        pen.fill(...track, row.share, fillOf(row.place, settings), false);
        const y = top + size + BIG.track;
        const width = drawName(names, 0, [0, y, room.width - countWidth], inner);
        const baseline = y + baselineIn(font.size * lineHeight, font.size);
        const tag = names.isUntagged ? '' : badgeOf(row, picture, wording);
        drawTag(tag, width + BIG.gap, baseline - baselineIn(TAG, rowType.mark.size), task);
        if (countWidth > 0)
          pen.write(count, 0, baseline, countFont, { color: pen.theme.soft, align: 'end' }, room.width);
      },
    };
  },
};

export type DrawnStyle = Exclude<DrawingStyle, 'code' | 'host'>;
export const styles: Readonly<Record<DrawnStyle, Style>> = {
  bars,
  columns,
  donut,
  versus,
  ticker,
  'big-number': bigNumber,
};
