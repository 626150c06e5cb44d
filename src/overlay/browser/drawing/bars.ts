import type { Picture, PictureRow } from '../../picture/picture.ts';
import type { Drawing, DrawingTools, Room } from './drawing.ts';
import { addElement, addText, setStyle, setText } from './element.ts';
import { fillOf, paint } from './fills.ts';
import { fitText } from './fit-text.ts';
import { KeyedRows } from './keyed-rows.ts';
import { Values } from './values.ts';

/** From one answer to the next. `bars.css` draws to the same measure. */
const ROW_HEIGHT = 86;
/** The last row needs no gap below it. */
const ROW_GAP = 24;
/** Below this width an answer and a count of ten digits do not fit on one line. */
const NARROW = 600;
const LABEL_SIZE = 32;
const SMALLEST_TEXT = 28.5;

interface Bar {
  readonly element: HTMLElement;
  readonly label: HTMLElement;
  readonly tag: HTMLElement;
  readonly fill: HTMLElement;
  readonly values: Values;
}

/** Lines of text over bars, one below the other. A new order slides. */
export function createBars(body: HTMLElement, tools: DrawingTools): Drawing {
  let isNarrow = false;
  const { count, shortCount } = tools.wording;
  const formatCount = (votes: number) => (isNarrow ? shortCount : count)(votes);
  const bars = new KeyedRows<Bar>(body, parent => addBar(parent, tools, formatCount));
  return {
    preferredWidth: () => 780,
    fit: room => Math.max(1, Math.floor((room.height + ROW_GAP) / ROW_HEIGHT)),
    draw(picture: Picture, room: Room, still: boolean) {
      isNarrow = room.width < NARROW;
      body.classList.toggle('narrow', isNarrow);
      setStyle(body, 'height', `calc(var(--u) * ${picture.rows.length * ROW_HEIGHT - ROW_GAP})`);
      const drawn = bars.place(picture.rows, (bar, row, at) => {
        setStyle(bar.element, 'transform', `translateY(calc(var(--u) * ${at * ROW_HEIGHT}))`);
        drawBar(bar, row, picture, tools, still);
      });
      const labels = drawn.map(bar => bar.label);
      fitText(labels, `${room.width} ${picture.moment}`, LABEL_SIZE, SMALLEST_TEXT);
    },
  };
}

function addBar(parent: ParentNode, tools: DrawingTools, formatCount: (votes: number) => string): Bar {
  const element = addElement(parent, 'div', 'row bar-row');
  const label = addText(element, 'bdi', 'label');
  const tag = addElement(element, 'span', 'tag');
  const values = new Values(element, tools, formatCount);
  const fill = addElement(addElement(element, 'div', 'track'), 'div', 'fill');
  return { element, label, tag, values, fill };
}

function drawBar(bar: Bar, row: PictureRow, picture: Picture, tools: DrawingTools, still: boolean): void {
  const { wording, settings } = tools;
  setText(bar.label, row.answer);
  setText(bar.tag, row.wins ? (picture.tie ? wording.tie : wording.winner) : '');
  bar.element.classList.toggle('leads', row.leads);
  bar.element.classList.toggle('wins', row.wins);
  bar.element.classList.toggle('lost', picture.moment === 'closed' && settings.winner && !row.wins);
  paint(bar.fill, fillOf(row.place, settings));
  setStyle(bar.fill, 'transform', `translateX(calc(var(--way) * ${(-(1 - row.length) * 100).toFixed(3)}%))`);
  bar.values.set(row, still);
}
