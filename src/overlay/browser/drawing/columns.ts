import { fillOf } from '../../../picture/fill.ts';
import { lineHeightOf } from '../../../picture/text.ts';
import { SMALLEST_TEXT, typeScale } from '../../../picture/themes.ts';
import { drawAnswer, KeyedRows, paint, Values } from './answers.ts';
import { type DrawingFactory, writesCompact } from './drawing.ts';
import { addElement, addText, setStyle, unitPx, units } from './element.ts';
import { fitText, fittedSize } from './fit-text.ts';

/** In CSS pixels: narrow columns are read up close, not across a room. */
const SMALLEST_IN_COLUMN_PX = 12;
/** Pitch of the columns: room for a word, at most what still looks like one picture. */
const NARROWEST = 165;
const WIDEST = 230;
/** On a narrow screen, where a handful of answers still has to fit. */
const NARROWEST_IN_COLUMN = 100;
const COLUMN_SHAPED_BELOW = 640;
const TALLEST_BODY = 560;
const LABEL_LINES = 2;
/** At the smallest size, where the columns stay high enough to compare. */
const MOST_LABEL_LINES = 3;
const LOW_COLUMN = 72;
/** Above the labels, and what their badge takes around them. */
const LABEL_AIR = 20;
const LOWEST_COLUMN = 24;
const LABEL_SIZE = typeScale.answer.size * 0.9;
const LINE = 44;
/** Width of a digit of the count, which is larger where it stands alone and may lead. */
const DIGIT_WIDTH = { both: 19, percent: 0, count: 28 };

interface Column {
  readonly element: HTMLElement;
  readonly label: HTMLElement;
  readonly fill: HTMLElement;
  readonly values: Values;
}

export const createColumns: DrawingFactory = (body, tools) => {
  const { wording, settings } = tools;
  const valueRoom = LINE * (settings.values === 'both' ? 2 : 1) + 8;
  const columns = new KeyedRows<Column>(body, parent => {
    const element = addElement(parent, 'div', 'row column');
    const values = new Values(addElement(element, 'div', 'values'), tools);
    const fill = addElement(addElement(element, 'div', 'shaft'), 'div', 'fill');
    return { element, values, fill, label: addText(element, 'bdi', 'label lines') };
  });
  const setLength = (name: string, length: number) => setStyle(body, name, units(length.toFixed(2)));
  return {
    answerSize: LABEL_SIZE,
    preferredWidth: answers => Math.max(640, answers * WIDEST),
    heights: answers => ({
      least: valueRoom + LOWEST_COLUMN + labelRoomOf(answers, LABEL_LINES, SMALLEST_TEXT),
      preferred: 420,
    }),
    fit({ width }) {
      return Math.max(1, Math.floor(width / (width < COLUMN_SHAPED_BELOW ? NARROWEST_IN_COLUMN : NARROWEST)));
    },
    draw(picture, room, motion) {
      const height = Math.min(TALLEST_BODY, room.height);
      const pitch = Math.min(WIDEST * 1.4, room.width / Math.max(1, picture.rows.length));
      body.classList.toggle('slim', pitch < NARROWEST);
      setLength('height', height);
      setLength('--pitch', pitch);
      setLength('--value-room', valueRoom);
      const lack = wording.number(picture.mostVotes).length * DIGIT_WIDTH[settings.values] - pitch;
      const compact = lack > 0 || writesCompact(room, picture);
      const drawn = columns.place(picture.rows, motion, (column, row, at, delayMs) => {
        const { element, fill, values } = column;
        setStyle(element, 'transform', `translateX(calc(var(--way) * var(--pitch) * ${at}))`);
        drawAnswer(column, row, picture, wording);
        element.classList.toggle('lost', row.lost);
        paint(fill, fillOf(row.place, settings));
        const missing = (1 - row.length).toFixed(5);
        setStyle(fill, 'transform', `translateY(calc(100% * ${missing}))`);
        setStyle(values.element, 'transform', `translateY(calc(var(--tall) * ${missing}))`);
        values.set(row, motion, delayMs, compact);
      });
      const labels = drawn.map(column => column.label);
      const answers = picture.rows.map(row => row.answer);
      const floor = pitch < NARROWEST ? SMALLEST_IN_COLUMN_PX / unitPx(body) : SMALLEST_TEXT;
      const small = labelRoomOf(answers, MOST_LABEL_LINES, floor);
      const isRoomy = height - valueRoom - small >= LOW_COLUMN;
      const lines = (size: number) => (isRoomy && size <= floor ? MOST_LABEL_LINES : LABEL_LINES);
      const key = `${pitch} ${isRoomy}`;
      const lackPx = fitText(labels, { key, largest: LABEL_SIZE, floor, lines });
      const size = fittedSize(labels[0]) ?? LABEL_SIZE;
      const labelRoom = labelRoomOf(answers, lines(size), size);
      setLength('--tall', Math.max(LOWEST_COLUMN, height - valueRoom - labelRoom));
      return Math.max(lackPx, lack > 0 ? lack * unitPx(body) : 0) * labels.length;
    },
  };
};

function labelRoomOf(answers: readonly string[], lines: number, size: number): number {
  return LABEL_AIR + lines * size * lineHeightOf(answers);
}
