import { addBarRow, type BarRow, showRowState } from '../../../picture/browser/bar-row.ts';
import { badgeOf, fillOf } from '../../../picture/fill.ts';
import { SMALLEST_TEXT } from '../../../picture/themes.ts';
import { paint, Values } from './answers.ts';
import { type DrawingFactory, type Room, roomKey, writesCompact } from './drawing.ts';
import { addElement, addText, setHidden, setStyle, setText, unitPx, units } from './element.ts';
import { fitNames, fitText, writeAnswer } from './fit-text.ts';

const LARGEST_TEXT = 48;
/** Parts of a row and the gap below it, as multiples of its text. */
const ROOMY = { line: 1.3, air: 0.15, bar: 0.3, gap: 0.65 };
const DENSE = { line: 1.25, air: 0.08, bar: 0.12, gap: 0.13 };
/** The first arrangement in which the text is at least so large is used, else the last. */
const ARRANGEMENTS = [
  { columns: 1, measure: ROOMY, least: 32 },
  { columns: 2, measure: ROOMY, least: 30 },
  { columns: 2, measure: DENSE, least: SMALLEST_TEXT },
];
const NARROW_ARRANGEMENTS = [
  { columns: 1, measure: ROOMY, least: 32 },
  { columns: 1, measure: DENSE, least: SMALLEST_TEXT },
];
/** A narrower screen has no room for two columns. */
const NARROW = 760;
/** A narrower column has smaller figures, which leave room for names. */
const COLUMN_WIDTH = 14;
const COLUMN_GAP = 64;
/** Above the line about the next poll, as in `host.css`. */
const NEXT_GAP = 28;
const NEXT_SIZE = 34;
/** The least height for a next poll of two lines. */
const LOW = 260;
/** About the height of that line, and of a second line of the footer. */
const AROUND = 130;

interface Row extends BarRow {
  readonly figures: Values;
}

/** The presenter's screen: the answers in one or two columns, and what comes next below them. */
export const createHost: DrawingFactory = (body, tools) => {
  const { wording, settings } = tools;
  const { phrases } = wording;
  const list = addElement(body, 'div', 'answers');
  const next = addElement(body, 'p', 'next');
  const nextLabel = addElement(next, 'span', 'what');
  const nextText = addText(next, 'bdi', 'lines');
  const rows: Row[] = [];

  const addRow = (): Row => {
    const row = addBarRow(list, 'div');
    return { ...row, figures: new Values(row.values, tools) };
  };
  /** Returns what the line about the next poll leaves of the height, in units. */
  const heightOver = (room: Room): number => {
    const lines = room.height < LOW ? 1 : 2;
    fitText([nextText], {
      key: `${room.width} ${lines}`,
      largest: NEXT_SIZE,
      floor: SMALLEST_TEXT,
      lines: () => lines,
    });
    const height = next.offsetHeight / unitPx(next);
    return room.height - (height > 0 ? height + NEXT_GAP : 0);
  };
  return {
    answerSize: LARGEST_TEXT,
    preferredWidth: () => Number.POSITIVE_INFINITY,
    // The whole question comes before the last answers.
    heights: answers => ({
      least: heightOf(1, DENSE, SMALLEST_TEXT) + AROUND,
      preferred: heightOf(Math.ceil(answers.length / 2), DENSE, SMALLEST_TEXT),
    }),
    setSurroundings({ away, next: title }) {
      const isKnown = title !== undefined && title !== null && !away;
      setText(nextLabel, isKnown ? phrases.next : '');
      const text = away ? phrases.status.stale : title === null ? phrases.noNext : title;
      writeAnswer(nextText, text ?? '');
      setHidden(next, text === undefined);
    },
    fit(room) {
      const { columns, measure, least } = arrangementsIn(room).at(-1)!;
      const pitch = heightOf(1, measure, least) + measure.gap * least;
      return columns * Math.max(1, Math.floor((heightOver(room) + measure.gap * least) / pitch));
    },
    draw(picture, room) {
      const count = picture.rows.length;
      const height = heightOver(room);
      const sizeIn = ({ columns, measure }: Arrangement) =>
        Math.min(
          LARGEST_TEXT,
          height / heightOf(Math.ceil(count / columns), measure, 1),
          (room.width - (columns - 1) * COLUMN_GAP) / columns / COLUMN_WIDTH,
        );
      const all = arrangementsIn(room);
      const chosen = all.find(one => sizeIn(one) >= one.least) ?? all.at(-1)!;
      const size = Math.max(SMALLEST_TEXT, sizeIn(chosen));
      const lines = Math.ceil(count / chosen.columns);
      setStyle(body, 'height', units(room.height.toFixed(2)));
      setStyle(list, 'grid-template-columns', `repeat(${count > lines ? 2 : 1}, minmax(0, 1fr))`);
      setStyle(list, 'grid-template-rows', `repeat(${Math.max(1, lines)}, auto)`);
      setSizes(list, size, chosen.measure);
      body.classList.toggle('nothing', picture.answers === 0);
      while (rows.length < count) rows.push(addRow());
      for (const row of rows.splice(count)) row.element.remove();
      const compact = writesCompact(room, picture);
      for (const [at, { label, tag, figures, fill, element }] of rows.entries()) {
        const row = picture.rows[at]!;
        writeAnswer(label, row.answer);
        setText(tag, badgeOf(row, picture, wording));
        showRowState({ element, fill }, row);
        paint(fill, fillOf(row.place, settings));
        figures.set(row, { kind: 'still' }, 0, compact);
      }
      const key = `${roomKey(room, picture)} ${size} ${chosen.columns}`;
      return fitNames(list, rows, { key, largest: size, floor: SMALLEST_TEXT });
    },
  };
};

type Arrangement = (typeof ARRANGEMENTS)[number];
type Measure = typeof ROOMY;

function arrangementsIn({ width }: Room): readonly Arrangement[] {
  return width < NARROW ? NARROW_ARRANGEMENTS : ARRANGEMENTS;
}

/** Height of a column, without the gap below its last row. @param size of the text, in units */
function heightOf(rows: number, { line, air, bar, gap }: Measure, size: number): number {
  return (rows * (line + air + bar + gap) - gap) * size;
}

function setSizes(list: HTMLElement, size: number, { line, air, bar, gap }: Measure): void {
  const parts = { '--row-line': line, '--row-air': air, '--row-bar': bar, '--row-gap': gap };
  const texts = { '--figure-size': 1, '--best-size': 1.1, '--count-size': 0.8, '--mark-size': 0.75 };
  for (const [name, part] of Object.entries(parts)) setStyle(list, name, units((part * size).toFixed(2)));
  for (const [name, part] of Object.entries(texts))
    setStyle(list, name, units(Math.max(SMALLEST_TEXT, part * size).toFixed(2)));
}
