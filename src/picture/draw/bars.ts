import { rowSpace, rowType } from '../row-look.ts';
import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { type Body, hasFaces, type Room, type Style, type Task } from './body.ts';
import { boxAt } from './part.ts';
import { Figures, fitNames, kitsOf, type RowKit, TAG, WINNER_AIR, widthOfFigures } from './row-kit.ts';

/** Sizes of a row: the line of its name and figures, its bar below, and the gap to the next row. */
export interface RowMeasure {
  readonly line: number;
  readonly air: number;
  readonly bar: number;
  readonly gap: number;
  readonly text: number;
  readonly big: number;
  readonly small: number;
  /** Height of the figures where they are below the name. */
  readonly below?: number;
}

const { between } = rowSpace;
const SMALL = rowType.count.size;
const ROOMY: RowMeasure = { ...rowSpace, text: rowType.answer.size, big: rowType.best.size, small: SMALL };
const TIGHT: RowMeasure = { line: 40, air: 8, bar: 14, gap: 24, text: 32, big: 38, small: SMALL };
const DENSE: RowMeasure = { line: 38, air: 4, bar: 8, gap: 13, text: 30, big: 34, small: SMALLEST_TEXT };
const LOWEST: RowMeasure = {
  line: 36,
  air: 3,
  bar: 6,
  gap: 11,
  text: SMALLEST_TEXT,
  big: 31,
  small: SMALLEST_TEXT,
};
/** Two answers in a full picture, with pictures of 220 pixels. */
const LARGE: RowMeasure = { line: 76, air: 14, bar: 80, gap: 48, text: 55, big: 66, small: 40 };
/** The same in an upright one, whose units are larger. */
const UPRIGHT: RowMeasure = { line: 58, air: 12, bar: 56, gap: 40, text: 42, big: 46, small: 32 };
/** Rows of any height are in proportion between two of these. */
const MEASURES: readonly Required<Omit<RowMeasure, 'below'>>[] = [LOWEST, DENSE, TIGHT, ROOMY, LARGE];
/** A narrower line has no room for an answer and a count of ten digits. */
const NARROW = 600;
/** Two columns, where all answers have room that would not fit below each other. */
const COLUMN = { width: 600, least: 380, gap: 64 };
/** More answers of a full picture take two columns. */
const MOST_IN_COLUMN = 8;
const MOST_ON_PAGE = 20;

/** Answers below each other, each with its bar. Many take two columns where the picture has the width. */
export const bars: Style = {
  answerSize: ROOMY.text,
  preferredWidth: () => 860,
  widest: 960,
  heights: answers => ({ least: heightOfRows(1, TIGHT), preferred: heightOfRows(answers.length, TIGHT) }),
  fit(room) {
    const columns = columnsIn(room);
    const { height, isFull, isTight, isUpright } = room;
    const least = isFull || isUpright ? LOWEST : columns > 1 || isTight ? DENSE : TIGHT;
    return Math.min(MOST_ON_PAGE, columns * rowsIn(height, least));
  },
  layOut(task) {
    const { picture, room } = task;
    const { slots } = picture;
    const { height, isFull, isUpright } = room;
    const dense = rowsIn(height, DENSE);
    const fewest = isUpright ? dense : isFull ? Math.min(MOST_IN_COLUMN, dense) : rowsIn(height, TIGHT);
    const columns = slots > fewest ? columnsIn(room) : 1;
    const perColumn = Math.ceil(slots / columns);
    const isNarrow = room.width / columns < NARROW;
    const roomy = isNarrow ? TIGHT : isFull ? LARGE : ROOMY;
    const largest = isFull && isUpright ? UPRIGHT : roomy;
    const measure = measureOf(perColumn, room, largest);
    const layOut = isFull || isUpright ? layOutLargeRows : layOutRows;
    const body = layOut(task, measure, columns);
    return { ...body, isWhole: body.isWhole && measure.text >= ROOMY.text && columns === 1 };
  },
};

/** Figures shrink with the names, and counts give way before a name is cut. */
function layOutLargeRows(task: Task, measure: RowMeasure, columns: number): Body {
  const body = layOutRows(task, measure, columns);
  if (body.isCut && task.settings.values === 'both')
    return layOutLargeRows({ ...task, settings: { ...task.settings, values: 'percent' } }, measure, columns);
  const scale = body.answerSize / measure.text;
  const scaled = (size: number) => Math.max(SMALLEST_TEXT, size * scale);
  const smaller = { ...measure, big: scaled(measure.big), small: scaled(measure.small) };
  return scale < 1 ? layOutRows(task, smaller, columns) : body;
}

/** Returns the largest sizes in which rows have room; in a full picture those with which they fill it. */
function measureOf(rows: number, { height, isFull, isUpright }: Room, most: RowMeasure): RowMeasure {
  const fits = (measure: RowMeasure) => heightOfRows(rows, measure) <= height;
  if (fits(most)) return most;
  const above = MEASURES.findIndex(measure => !fits(measure));
  const [low, high] = [MEASURES[above - 1] ?? LOWEST, MEASURES[above]!];
  const isFree = isFull || isUpright;
  if (!isFree || above === 0) return isFree || above > 1 ? low : DENSE;
  const [lowest, highest] = [heightOfRows(rows, low), heightOfRows(rows, high)];
  const part = (height - lowest) / (highest - lowest);
  const between = (name: keyof typeof low) => low[name] + (high[name] - low[name]) * part;
  return {
    line: between('line'),
    air: between('air'),
    bar: between('bar'),
    gap: between('gap'),
    text: between('text'),
    big: between('big'),
    small: between('small'),
  };
}

export function heightOfRows(
  rows: number,
  { line, below = 0, air, bar, gap }: Omit<RowMeasure, 'text' | 'big' | 'small'>,
): number {
  return rows * (line + below + air + bar + gap) - gap;
}

function rowsIn(height: number, measure: RowMeasure): number {
  return Math.max(1, Math.floor((height + measure.gap) / (heightOfRows(1, measure) + measure.gap)));
}

function columnsIn({ width, isFull, isUpright }: Room): number {
  return width >= 2 * (isFull || isUpright ? COLUMN.least : COLUMN.width) + COLUMN.gap ? 2 : 1;
}

/** Rows in columns, filled from top to bottom. */
export function layOutRows(task: Task, measure: RowMeasure, columns: number, apart = COLUMN.gap): Body {
  const { picture, room } = task;
  const { line, below = 0, air, bar, gap, text, big, small } = measure;
  const high = line + below + air + bar;
  const perColumn = Math.ceil(picture.slots / columns);
  const width = (room.width - (columns - 1) * apart) / columns;
  const kits = kitsOf(picture.rows, task);
  const figures = picture.rows.map(row => new Figures(row, task, { big, small, weight: 700 }));
  const figuresWidth = widthOfFigures(figures);
  // A picture is as high as its row.
  const face = hasFaces(picture) ? high : 0;
  const start = face > 0 ? face + between : 0;
  const lineRoom = (at: number) =>
    width - start - kits[at]!.keyRoom - (below > 0 ? 0 : figuresWidth + between);
  // A low track has no room for the word of a winner, which then takes some of the line.
  const isDense = below === 0 && air + bar + gap < TAG.height;
  // Where the row has some room for it, only if no name is shortened.
  const isLow = isDense || (!room.isFull && below === 0 && air + bar + WINNER_AIR.y < TAG.height);
  const hasBadgeRoom = ({ badgeWidth }: RowKit) =>
    below === 0 || badgeWidth + figuresWidth + between <= width - start;
  const badgeRoom = (at: number) => {
    const taken = kits[at]!.badgeWidth;
    return taken > 0 ? taken + TAG.gap : 0;
  };
  const em = lineHeightOf(picture.rows.map(({ answer }) => answer));
  const namesIn = (width: (at: number) => number) =>
    fitNames(picture.rows, task, {
      largest: text,
      floor: Math.min(text, SMALLEST_TEXT),
      width,
      lines: size => (below > 0 ? Math.max(1, Math.floor(line / (size * em))) : 1),
    });
  const beside = isLow ? namesIn(at => lineRoom(at) - badgeRoom(at)) : undefined;
  const names = beside && (isDense || !beside.body.isBroken) ? beside : namesIn(lineRoom);
  return {
    height: heightOfRows(perColumn, measure),
    ...names.body,
    parts: top =>
      kits.flatMap((kit, at) => {
        const left = Math.floor(at / perColumn) * (width + apart);
        const x = left + start;
        const y = top + (at % perColumn) * (high + gap);
        const box = boxAt(left, y, width, high);
        const barTop = y + line + below + air;
        const shownLines = names.text.lines[at]!.length;
        const nameTop = shownLines > 1 ? y + (line - shownLines * names.text.lineHeight) / 2 : y;
        const nameEnd = names.widths[at]! + TAG.gap;
        // Beside the name, else at the end of the track.
        const isBeside = below === 0 && nameEnd + kit.badgeWidth <= lineRoom(at);
        const nameX = x + kit.keyRoom;
        const badgeX = isBeside ? nameX + nameEnd : below > 0 ? x : left + width - kit.badgeWidth;
        // Beside a name or figures; else below the figures, and within the plate.
        const isOnLine = isBeside || below > 0;
        const end = y + box.height + WINNER_AIR.y - 2;
        const tag = isOnLine ? TAG.height : Math.min(TAG.height, end - y - line + 4);
        const lineMiddle = isBeside ? y + line / 2 : y + line + below / 2;
        const badgeY = isOnLine ? lineMiddle : end - tag / 2;
        return kit.solid(box, shown => [
          ...shown.frame(box, gap),
          ...(face > 0 ? [shown.face(boxAt(left, y, face, face))] : []),
          ...shown.bar(boxAt(x, barTop, width - start, bar), kit.row.length),
          ...shown.keycap(x, y + line / 2),
          shown.name(names, boxAt(nameX, nameTop, names.widths[at]!, kit.isFramed ? box.height : line)),
          ...figures[at]!.line(shown, left + width, y + (below > 0 ? line : 0), below || line, figures),
          ...(hasBadgeRoom(kit) ? shown.badgeAt(badgeX, badgeY, 'plate', tag) : []),
        ]);
      }),
  };
}
