import type { PictureRow } from '../picture.ts';
import { rowType } from '../row-look.ts';
import { onAccent, SMALLEST_TEXT } from '../themes.ts';
import type { Task } from './body.ts';
import { type Box, box, boxAt, grownBy, order, type Part, part, text } from './part.ts';
import type { FittedLines } from './type-setter.ts';

/** The plate of a step, and how far it reaches beyond its row. */
const PLATE = { scale: 1.2, beyond: 12, air: 8 };
/** Its texts, in parts of its height; in a narrow one they are smaller. */
const TEXT = { place: 0.54, name: 0.42, figure: 0.48, slim: 0.28 };
const SLIM_BELOW = 3.6;

interface StepOf {
  readonly figure: string;
  readonly radius: number;
  face(at: Box): Part;
}

/** A step of a reveal opens a row: its place, answer and figure on a plate in the accent. */
export function layOutStep(
  { id, rank, answer, image }: PictureRow,
  row: Box,
  { theme, type, wording }: Task,
  { figure, radius, face }: StepOf,
): Part[] {
  const color = onAccent(theme.accent);
  const isTall = row.width < row.height;
  const at = grownBy(row, PLATE.beyond, isTall ? 0 : ((PLATE.scale - 1) / 2) * row.height);
  const { x, y, width, height } = at;
  const isSlim = width < SLIM_BELOW * height;
  const [inset, gap] = isSlim ? [12, 10] : [20, 18];
  // A column has place, figure and name below each other.
  const third = height / 3;
  const span = isTall ? Math.min(width, third) : height;
  const sized = (size: number) => ({ size: Math.max(SMALLEST_TEXT, size * span), weight: 800 });
  const place = wording.number(rank!);
  const [placeFont, figureFont] = [sized(TEXT.place), sized(isSlim ? TEXT.slim : TEXT.figure)];
  const [placeWidth, figureWidth] = [type.width(place, placeFont), type.width(figure, figureFont)];
  const side = image === undefined || isTall ? 0 : height - 2 * PLATE.air;
  const start = x + inset + placeWidth + gap;
  const nameX = start + (side > 0 ? side + gap : 0);
  const end = x + width - inset;
  const name = type.fitOne(answer, {
    weight: rowType.answer.weight,
    largest: sized(isSlim ? TEXT.slim : TEXT.name).size,
    floor: SMALLEST_TEXT,
    width: isTall ? width - 2 * PLATE.air : end - figureWidth - gap - nameX,
    lines: () => (isSlim ? 2 : 1),
  });
  const inRow = [
    boxAt(x + inset, y, placeWidth, height),
    boxAt(nameX, y + (height - name.height) / 2, end - figureWidth - gap - nameX, name.height),
    boxAt(end - figureWidth, y, figureWidth, height),
  ] as const;
  const inColumn = [
    boxAt(x, y, width, third),
    boxAt(x, y + 2.5 * third - name.height / 2, width, name.height),
    boxAt(x, y + third, width, third),
  ] as const;
  const [placeBox, nameBox, figureBox] = isTall ? inColumn : inRow;
  const write = (key: string, at: Box, written: Pick<FittedLines, 'lines' | 'font' | 'lineHeight'>) =>
    part(
      `step ${key} ${id}`,
      text(at, { ...written, color, isPlain: true, ...(isTall && { align: 'center' }) }),
    );
  const parts: Part[] = [
    part(`step plate ${id}`, box(at, { color: theme.accent }, radius), { order: order.ground }),
    write('place', placeBox, { lines: [place], font: placeFont, lineHeight: placeBox.height }),
    write('name', nameBox, name),
    write('figure', figureBox, { lines: [figure], font: figureFont, lineHeight: figureBox.height }),
  ];
  if (side > 0)
    // It stands on its plate, and rises with nothing.
    parts.push({
      ...face(boxAt(start, y + PLATE.air, side, side)),
      key: `step face ${id}`,
      from: {},
    });
  return parts.map(one => ({
    ...one,
    at: { ...one.at, alpha: 0 },
    order: one.order + order.won,
    row: id,
    isOfStep: true,
  }));
}
