import { rowSpace, rowType } from '../row-look.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { type Body, hasFaces, type Style, type Task } from './body.ts';
import { boxAt } from './part.ts';
import { Figures, fitNames, kitsOf, TAG, WINNER_AIR } from './row-kit.ts';

/** Sizes of a row: the line of its name and figures, its bar below, and the gap to the next row. */
export interface RowMeasure {
  readonly line: number;
  readonly air: number;
  readonly bar: number;
  readonly gap: number;
  readonly text: number;
  readonly big: number;
  readonly small: number;
}

const { between } = rowSpace;
const SMALL = rowType.count.size;
const ROOMY: RowMeasure = { ...rowSpace, text: rowType.answer.size, big: rowType.best.size, small: SMALL };
const TIGHT: RowMeasure = { line: 40, air: 8, bar: 14, gap: 24, text: 32, big: 38, small: SMALL };
const DENSE: RowMeasure = { line: 38, air: 4, bar: 8, gap: 13, text: 30, big: 34, small: SMALLEST_TEXT };
/** A narrower line has no room for an answer and a count of ten digits. */
const NARROW = 600;
/** Two columns, where all answers have room that would not fit below each other. */
const COLUMN = { width: 600, gap: 64 };

/** Answers below each other, each with its bar. Many take two columns where the picture has the width. */
export const bars: Style = {
  answerSize: ROOMY.text,
  preferredWidth: () => 860,
  heights: answers => ({ least: heightOfRows(1, TIGHT), preferred: heightOfRows(answers.length, TIGHT) }),
  fit({ width, height, isTight }) {
    const columns = columnsIn(width);
    return columns * rowsIn(height, columns > 1 || isTight ? DENSE : TIGHT);
  },
  layOut(task) {
    const { picture, room } = task;
    const columns = picture.slots > rowsIn(room.height, TIGHT) ? columnsIn(room.width) : 1;
    const perColumn = Math.ceil(picture.slots / columns);
    const isRoomy = heightOfRows(perColumn, ROOMY) <= room.height && room.width / columns >= NARROW;
    const measure = isRoomy ? ROOMY : perColumn <= rowsIn(room.height, TIGHT) ? TIGHT : DENSE;
    const body = layOutRows(task, measure, columns);
    return { ...body, isWhole: body.isWhole && isRoomy && columns === 1 };
  },
};

export function heightOfRows(
  rows: number,
  { line, air, bar, gap }: Omit<RowMeasure, 'text' | 'big' | 'small'>,
): number {
  return rows * (line + air + bar + gap) - gap;
}

function rowsIn(height: number, measure: RowMeasure): number {
  return Math.max(1, Math.floor((height + measure.gap) / (heightOfRows(1, measure) + measure.gap)));
}

function columnsIn(width: number): number {
  return width >= 2 * COLUMN.width + COLUMN.gap ? 2 : 1;
}

/** Rows in columns, filled from top to bottom. */
export function layOutRows(task: Task, measure: RowMeasure, columns: number): Body {
  const { picture, room } = task;
  const { line, air, bar, gap, text, big, small } = measure;
  const perColumn = Math.ceil(picture.slots / columns);
  const width = (room.width - (columns - 1) * COLUMN.gap) / columns;
  const kits = kitsOf(picture.rows, task);
  const figures = picture.rows.map(row => new Figures(row, task, { big, small, weight: 700 }));
  // A picture is as high as its row.
  const face = hasFaces(picture) ? line + air + bar : 0;
  const start = face > 0 ? face + between : 0;
  const lineRoom = (at: number) => width - start - kits[at]!.keyRoom - figures[at]!.width - between;
  // A low track has no room for the word of a winner, which then takes some of the line.
  const isDense = air + bar + gap < TAG.height;
  const badgeRoom = (at: number) => {
    const taken = kits[at]!.badgeWidth;
    return isDense && taken > 0 ? taken + TAG.gap : 0;
  };
  const nameRoom = (at: number) => lineRoom(at) - badgeRoom(at);
  const names = fitNames(picture.rows, task, {
    largest: text,
    floor: Math.min(text, SMALLEST_TEXT),
    width: nameRoom,
  });
  return {
    height: heightOfRows(perColumn, measure),
    ...names.body,
    parts: top =>
      kits.flatMap((kit, at) => {
        const left = Math.floor(at / perColumn) * (width + COLUMN.gap);
        const x = left + start;
        const y = top + (at % perColumn) * (line + air + bar + gap);
        const box = boxAt(left, y, width, line + air + bar);
        const barTop = y + line + air;
        const nameEnd = names.widths[at]! + TAG.gap;
        // Beside the name, else at the end of the track.
        const isBeside = nameEnd + kit.badgeWidth <= lineRoom(at);
        const nameX = x + kit.keyRoom;
        const badgeX = isBeside ? nameX + nameEnd : left + width - kit.badgeWidth;
        // Below the figures, and within the plate.
        const end = y + box.height + WINNER_AIR.y - 2;
        const high = isBeside ? TAG.height : Math.min(TAG.height, end - y - line + 4);
        const badgeY = isBeside ? y + line / 2 : end - high / 2;
        return kit.solid(box, shown => [
          ...shown.frame(box, gap),
          ...(face > 0 ? [shown.face(boxAt(left, y, face, face))] : []),
          ...shown.bar(boxAt(x, barTop, width - start, bar), kit.row.length),
          ...shown.keycap(x, y + line / 2),
          shown.name(names, boxAt(nameX, y, nameRoom(at), kit.isFramed ? box.height : line)),
          ...figures[at]!.line(shown, left + width, y, line),
          ...shown.badgeAt(badgeX, badgeY, 'plate', high),
        ]);
      }),
  };
}
