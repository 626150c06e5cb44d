import { SMALLEST_TEXT } from '../themes.ts';
import { heightOfRows, layOutRows, type RowMeasure } from './bars.ts';
import type { Room, Style, Task } from './body.ts';
import { nextOf } from './notes.ts';
import { boxAt, type Part, part, text } from './part.ts';
import { canVote, stateOf } from './state.ts';

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
/** The time, and what comes next beside it. A lower screen has less, and so has one of many answers. */
const LEAD = { time: 110, next: 46, label: 38, gap: 28, lines: 2, share: 0.28, least: 76 };

/** The presenter's screen: the time that is left, what comes next, and the answers in one or two columns. */
export const host: Style = {
  answerSize: LARGEST,
  preferredWidth: () => Number.POSITIVE_INFINITY,
  // The whole question comes before the last answers.
  heights: answers => ({
    least: heightOfRows(1, measureOf(DENSE, SMALLEST_TEXT)) + LEAD.gap + LEAD.lines * 1.3 * SMALLEST_TEXT,
    preferred: heightOfRows(Math.ceil(answers.length / 2), measureOf(DENSE, SMALLEST_TEXT)),
  }),
  fit(room) {
    const { columns, parts, least } = arrangementsIn(room).at(-1)!;
    const { gap } = measureOf(parts, least);
    const pitch = heightOfRows(1, measureOf(parts, least)) + gap;
    return columns * Math.max(1, Math.floor((room.height - LEAD.least - LEAD.gap + gap) / pitch));
  },
  layOut(task) {
    const { picture, room } = task;
    const count = picture.slots;
    const { columns: most, parts: dense } = arrangementsIn(room).at(-1)!;
    const rows = heightOfRows(Math.ceil(count / most), measureOf(dense, SMALLEST_TEXT));
    const lead = layOutLead(task, Math.min(LEAD.share * room.height, room.height - rows - LEAD.gap));
    const taken = lead.height > 0 ? lead.height + LEAD.gap : 0;
    const height = room.height - taken;
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
      // Fills the screen, so that the notes are at its foot.
      height: room.height,
      parts: top => [...lead.parts(top), ...body.parts(top + taken)],
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

/**
 * What a presenter reads first: the time that is left, and what comes next, or that the relay is away.
 *
 * @param most height
 */
function layOutLead(task: Task, most: number): { height: number; parts(top: number): Part[] } {
  const { type, theme, wording, room, around, picture, nowMs } = task;
  const stale = { label: '', text: wording.phrases.status.stale };
  const next = around.away ? stale : nextOf(around, wording, picture);
  const { deadlineMs } = picture;
  const leftMs = deadlineMs !== null && canVote(picture, nowMs) ? deadlineMs - nowMs : 0;
  const isLast = stateOf(picture, nowMs) === 'last';
  const time = isLast ? wording.number(Math.ceil(leftMs / 1000)) : leftMs > 0 ? wording.timeLeft(leftMs) : '';
  const big = Math.max(1.4 * SMALLEST_TEXT, Math.min(LEAD.time, 0.7 * most));
  const font = { size: isLast ? big : 0.8 * big, weight: 800 };
  const timeHeight = time === '' ? 0 : 1.15 * big;
  const timeWidth = time === '' ? 0 : type.figureWidth(time, font) + LEAD.gap;
  const [left, above] = room.width >= NARROW ? [timeWidth, 0] : [0, timeHeight];
  const labelHeight = next.label === '' ? 0 : LEAD.label;
  const title = type.fitOne(next.text, {
    weight: 500,
    largest: Math.max(SMALLEST_TEXT, Math.min(LEAD.next, most / 3)),
    floor: SMALLEST_TEXT,
    width: room.width - left,
    lines: size => Math.max(1, Math.min(LEAD.lines, Math.floor((most - above - labelHeight) / (1.3 * size)))),
  });
  const nextHeight = next.text === '' ? 0 : labelHeight + title.height;
  const color = isLast ? theme.accent : theme.text;
  const written = { kind: 'figure', font, color, align: 'start', format: () => time } as const;
  const label = { lines: [next.label], font: { size: SMALLEST_TEXT, weight: 700 }, color: theme.accent };
  return {
    height: Math.max(timeHeight, above + nextHeight),
    parts(top) {
      const y = top + above;
      const width = room.width - left;
      const parts = [
        part('time', { at: boxAt(0, top, timeWidth, timeHeight), shape: written }),
        part('next label', text(boxAt(left, y, width, labelHeight), label)),
        part(
          'next',
          text(boxAt(left, y + labelHeight, width, title.height), { ...title, color: theme.text }),
        ),
      ];
      return parts.filter(({ key }) => (key === 'time' ? time !== '' : nextHeight > 0));
    },
  };
}
