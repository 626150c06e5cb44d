import type { Picture, PictureRow } from '../../picture/picture.ts';
import type { Drawing, DrawingTools, Room } from './drawing.ts';
import { addElement, addText, setStyle, setText } from './element.ts';
import { fillOf, paint } from './fills.ts';
import { fitText } from './fit-text.ts';
import { KeyedRows } from './keyed-rows.ts';
import { Values } from './values.ts';

/** From one column to the next: at least room for a word, at most what still looks like one picture. */
const NARROWEST = 150;
const WIDEST = 230;
const TALLEST_BODY = 540;
/** Two lines of an answer below a column, with the gap above them. */
const LABEL_ROOM = 92;
const LINE = 38;
const LABEL_SIZE = 31;
const SMALLEST_TEXT = 28.5;
/** About the width of a digit in the smallest text. */
const DIGIT_WIDTH = 17;

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
  let pitch = NARROWEST;
  const formatCount = (votes: number) => {
    const full = wording.count(votes);
    return full.length * DIGIT_WIDTH > pitch ? wording.shortCount(votes) : full;
  };
  const columns = new KeyedRows<Column>(body, parent => addColumn(parent, tools, formatCount));
  return {
    preferredWidth: answers => Math.max(640, answers * WIDEST),
    fit: room => Math.max(1, Math.floor(room.width / NARROWEST)),
    draw(picture: Picture, room: Room, still: boolean) {
      const height = Math.min(TALLEST_BODY, room.height);
      const tall = Math.max(40, height - valueRoom - LABEL_ROOM);
      pitch = Math.min(WIDEST * 1.4, room.width / Math.max(1, picture.rows.length));
      setStyle(body, 'height', units(height));
      setStyle(body, '--pitch', units(pitch));
      setStyle(body, '--tall', units(tall));
      setStyle(body, '--value-room', units(valueRoom));
      const drawn = columns.place(picture.rows, (column, row, at) => {
        setStyle(column.element, 'transform', `translateX(calc(var(--way) * var(--pitch) * ${at}))`);
        drawColumn(column, row, picture, tools, still);
      });
      const labels = drawn.map(column => column.label);
      fitText(labels, `${pitch}`, LABEL_SIZE, SMALLEST_TEXT);
    },
  };
}

function addColumn(parent: ParentNode, tools: DrawingTools, formatCount: (votes: number) => string): Column {
  const element = addElement(parent, 'div', 'row column');
  const values = new Values(element, tools, formatCount);
  const fill = addElement(addElement(element, 'div', 'shaft'), 'div', 'fill');
  const label = addText(element, 'bdi', 'label two-lines');
  return { element, values, fill, label };
}

function drawColumn(
  column: Column,
  row: PictureRow,
  picture: Picture,
  tools: DrawingTools,
  still: boolean,
): void {
  const { settings } = tools;
  setText(column.label, row.answer);
  column.element.classList.toggle('leads', row.leads);
  column.element.classList.toggle('wins', row.wins);
  column.element.classList.toggle('lost', picture.moment === 'closed' && settings.winner && !row.wins);
  paint(column.fill, fillOf(row.place, settings));
  const missing = (1 - row.length).toFixed(5);
  setStyle(column.fill, 'transform', `translateY(calc(100% * ${missing}))`);
  setStyle(column.values.element, 'transform', `translateY(calc(var(--tall) * ${missing}))`);
  column.values.set(row, still);
}

function units(length: number): string {
  return `calc(var(--u) * ${length.toFixed(2)})`;
}
