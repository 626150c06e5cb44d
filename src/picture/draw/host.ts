import { SMALLEST_TEXT } from '../themes.ts';
import { heightOfRows, layOutRows, type RowMeasure } from './bars.ts';
import type { Room, Style, Task } from './body.ts';
import { nextOf } from './notes.ts';
import { boxAt, type Part, part, text } from './part.ts';

const LARGEST = 48;
/** Parts of a row and the gap below it, as multiples of its text. */
const ROOMY = { line: 1.3, air: 0.15, bar: 0.3, gap: 0.65 };
const DENSE = { line: 1.25, air: 0.08, bar: 0.12, gap: 0.13 };
/** The first arrangement in which the text is at least so large is used, else the last. */
const ARRANGEMENTS = [
  { columns: 1, parts: ROOMY, least: 32 },
  { columns: 2, parts: ROOMY, least: 30 },
  { columns: 2, parts: DENSE, least: SMALLEST_TEXT },
];
const NARROW_ARRANGEMENTS = [
  { columns: 1, parts: ROOMY, least: 32 },
  { columns: 1, parts: DENSE, least: SMALLEST_TEXT },
];
/** A narrower screen has no room for two columns. */
const NARROW = 760;
/** A narrower column has smaller figures, which leave room for names. In em. */
const COLUMN_WIDTH = 14;
const NEXT = { size: 34, gap: 28, lines: 2, line: 44 };
/** The least height for a next poll of two lines. */
const LOW = 260;

/** The presenter's screen: the answers in one or two columns, and what comes next below them. */
export const host: Style = {
  answerSize: LARGEST,
  preferredWidth: () => Number.POSITIVE_INFINITY,
  // The whole question comes before the last answers.
  heights: answers => ({
    least: heightOfRows(1, measureOf(DENSE, SMALLEST_TEXT)) + NEXT.gap + NEXT.lines * NEXT.line,
    preferred: heightOfRows(Math.ceil(answers.length / 2), measureOf(DENSE, SMALLEST_TEXT)),
  }),
  fit(room) {
    const { columns, parts, least } = arrangementsIn(room).at(-1)!;
    const { gap } = measureOf(parts, least);
    const pitch = heightOfRows(1, measureOf(parts, least)) + gap;
    return columns * Math.max(1, Math.floor((room.height - NEXT.gap - NEXT.line + gap) / pitch));
  },
  layOut(task) {
    const { picture, room } = task;
    const next = layOutNext(task);
    const height = room.height - (next.height > 0 ? next.height + NEXT.gap : 0);
    const count = picture.slots;
    const sizeIn = ({ columns, parts }: Arrangement) =>
      Math.min(
        LARGEST,
        height / heightOfRows(Math.ceil(count / columns), parts),
        room.width / columns / COLUMN_WIDTH,
      );
    const all = arrangementsIn(room);
    const chosen = all.find(one => sizeIn(one) >= one.least) ?? all.at(-1)!;
    const size = Math.max(SMALLEST_TEXT, sizeIn(chosen));
    const columns = picture.slots > 1 ? chosen.columns : 1;
    const body = layOutRows(task, measureOf(chosen.parts, size), columns);
    return {
      ...body,
      // Fills the screen, so that the next poll is at its foot.
      height: room.height,
      parts: top => [...body.parts(top), ...next.parts(top + room.height - next.height)],
    };
  },
};

type Arrangement = (typeof ARRANGEMENTS)[number];

function arrangementsIn({ width }: Room): readonly Arrangement[] {
  return width < NARROW ? NARROW_ARRANGEMENTS : ARRANGEMENTS;
}

/** @param size of the text, in units */
function measureOf({ line, air, bar, gap }: typeof ROOMY, size: number): RowMeasure {
  const big = Math.max(SMALLEST_TEXT, 1.1 * size);
  const small = Math.max(SMALLEST_TEXT, 0.8 * size);
  return { line: line * size, air: air * size, bar: bar * size, gap: gap * size, text: size, big, small };
}

/** The next poll of the rundown, or that the relay is away. */
function layOutNext({ type, theme, wording, room, around }: Task): {
  height: number;
  parts(top: number): Part[];
} {
  const next = around.away ? { label: '', text: wording.phrases.status.stale } : nextOf(around, wording);
  if (next.text === '') return { height: 0, parts: () => [] };
  const font = { size: NEXT.size, weight: 700 };
  const start = next.label === '' ? 0 : type.width(next.label, font) + 20;
  const title = type.fitOne(next.text, {
    weight: 500,
    largest: NEXT.size,
    floor: SMALLEST_TEXT,
    width: room.width - start,
    lines: () => (room.height < LOW ? 1 : NEXT.lines),
  });
  const { height, lineHeight } = title;
  const label = { lines: [next.label], font, color: theme.accent };
  return {
    height,
    parts: top => [
      part('next label', text(boxAt(0, top, start, lineHeight), label)),
      part('next', text(boxAt(start, top, room.width - start, height), { ...title, color: theme.soft })),
    ],
  };
}
