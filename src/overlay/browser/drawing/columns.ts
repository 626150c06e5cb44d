import { SMALLEST_TEXT, typeScale } from '../../look/type-scale.ts';
import type { Picture, PictureRow } from '../../picture/picture.ts';
import { drawAnswer } from './answer.ts';
import { type Drawing, type DrawingTools, type Room, writesCompact } from './drawing.ts';
import { addElement, addText, setStyle, unitPx } from './element.ts';
import { fillOf, paint } from './fills.ts';
import { fitText } from './fit-text.ts';
import { KeyedRows } from './keyed-rows.ts';
import type { Motion } from './motion.ts';
import { Values } from './values.ts';

/** Read from a hand's breadth, not across a room: in CSS pixels. */
const SMALLEST_IN_COLUMN_PX = 12;
/** From one column to the next: at least room for a word, at most what still looks like one picture. */
const NARROWEST = 165;
/** In a narrow column of a page, so that none of a handful of answers is dropped. */
const NARROWEST_IN_COLUMN = 100;
const COLUMN_SHAPED_BELOW = 640;
const WIDEST = 230;
const TALLEST_BODY = 560;
/** Two lines of an answer below a column, with the gap above them. */
const LABEL_ROOM = 98;
const LINE = 44;
/** About the width of a digit of a count beside a percentage, and of one that stands alone and may lead. */
const DIGIT_WIDTH = { both: 19, percent: 0, count: 28 };

interface Column {
  readonly element: HTMLElement;
  readonly label: HTMLElement;
  readonly fill: HTMLElement;
  readonly values: Values;
}

/** Columns side by side, their figures riding on top. A new order slides. */
export function createColumns(body: HTMLElement, tools: DrawingTools): Drawing {
  const { wording, settings } = tools;
  const valueRoom = LINE * (settings.values === 'both' ? 2 : 1) + 8;
  const columns = new KeyedRows<Column>(body, parent => addColumn(parent, tools));
  return {
    preferredWidth: answers => Math.max(640, answers * WIDEST),
    fit: room =>
      Math.max(
        1,
        Math.floor(room.width / (room.width < COLUMN_SHAPED_BELOW ? NARROWEST_IN_COLUMN : NARROWEST)),
      ),
    draw(picture: Picture, room: Room, motion: Motion): number {
      const height = Math.min(TALLEST_BODY, room.height);
      const tall = Math.max(40, height - valueRoom - LABEL_ROOM);
      const pitch = Math.min(WIDEST * 1.4, room.width / Math.max(1, picture.rows.length));
      body.classList.toggle('slim', pitch < NARROWEST);
      setStyle(body, 'height', units(height));
      setStyle(body, '--pitch', units(pitch));
      setStyle(body, '--tall', units(tall));
      setStyle(body, '--value-room', units(valueRoom));
      const lack = wording.number(picture.mostVotes).length * DIGIT_WIDTH[settings.values] - pitch;
      const compact = lack > 0 || writesCompact(room, picture);
      const drawn = columns.place(picture.rows, motion, (column, row, at, delayMs) => {
        setStyle(column.element, 'transform', `translateX(calc(var(--way) * var(--pitch) * ${at}))`);
        drawColumn(column, row, picture, tools);
        column.values.set(row, motion, delayMs, compact);
      });
      const labels = drawn.map(column => column.label);
      const floor = pitch < NARROWEST ? SMALLEST_IN_COLUMN_PX / unitPx(body) : SMALLEST_TEXT;
      const lackPx = fitText(labels, `${pitch}`, typeScale.answer.size * 0.9, floor, true);
      return Math.max(lackPx, lack > 0 ? lack * unitPx(body) : 0) * labels.length;
    },
  };
}

function addColumn(parent: ParentNode, tools: DrawingTools): Column {
  const element = addElement(parent, 'div', 'row column');
  const values = new Values(addElement(element, 'div', 'values'), tools);
  const fill = addElement(addElement(element, 'div', 'shaft'), 'div', 'fill');
  const label = addText(element, 'bdi', 'label two-lines');
  return { element, values, fill, label };
}

function drawColumn(column: Column, row: PictureRow, picture: Picture, tools: DrawingTools): void {
  drawAnswer(column, row, picture, tools.wording);
  column.element.classList.toggle('lost', row.lost);
  paint(column.fill, fillOf(row.place, tools.settings));
  const missing = (1 - row.length).toFixed(5);
  setStyle(column.fill, 'transform', `translateY(calc(100% * ${missing}))`);
  setStyle(column.values.element, 'transform', `translateY(calc(var(--tall) * ${missing}))`);
}

function units(length: number): string {
  return `calc(var(--u) * ${length.toFixed(2)})`;
}
