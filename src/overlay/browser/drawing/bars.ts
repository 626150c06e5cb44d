import { addBarRow, type BarRow, showRowState } from '../../../row/browser/bar-row.ts';
import { rowSpace } from '../../../row/row-look.ts';
import { SMALLEST_TEXT, typeScale } from '../../look/type-scale.ts';
import type { Picture, PictureRow } from '../../picture/picture.ts';
import { markOf } from './answer.ts';
import { type Drawing, type DrawingTools, type Room, roomKey, writesCompact } from './drawing.ts';
import { setStyle, setText } from './element.ts';
import { fillOf, paint } from './fills.ts';
import { fitText, writeAnswer } from './fit-text.ts';
import { KeyedRows } from './keyed-rows.ts';
import type { Motion } from './motion.ts';
import { Values } from './values.ts';

const { line, air, bar, gap } = rowSpace;
/** Two measures of a row: what one answer takes, and the gap below it, which the last needs not. */
const ROOMY = { pitch: line + air + bar + gap, gap };
/** As `bars.css` has it. */
const TIGHT = { pitch: 86, gap: 24 };
/** Below this width an answer and a count of ten digits do not fit on one line. */
const NARROW = 600;

interface Bar extends BarRow {
  readonly figures: Values;
}

/** Lines of text over bars, one below the other. A new order slides. */
export function createBars(body: HTMLElement, tools: DrawingTools): Drawing {
  const bars = new KeyedRows<Bar>(body, parent => addBar(parent, tools));
  const heightOf = (rows: number, { pitch, gap }: typeof TIGHT) => rows * pitch - gap;
  return {
    preferredWidth: () => 860,
    fit: room => Math.max(1, Math.floor((room.height + TIGHT.gap) / TIGHT.pitch)),
    draw(picture: Picture, room: Room, motion: Motion): number {
      const isNarrow = room.width < NARROW;
      const rows = picture.rows.length;
      const measure = heightOf(rows, ROOMY) <= room.height && !isNarrow ? ROOMY : TIGHT;
      body.classList.toggle('narrow', isNarrow);
      body.classList.toggle('tight-rows', measure === TIGHT);
      setStyle(body, 'height', `calc(var(--u) * ${heightOf(rows, measure)})`);
      const compact = writesCompact(room, picture);
      const drawn = bars.place(picture.rows, motion, (bar, row, at, delayMs) => {
        setStyle(bar.element, 'transform', `translateY(calc(var(--u) * ${at * measure.pitch}))`);
        drawBar(bar, row, picture, tools);
        bar.figures.set(row, motion, delayMs, compact);
      });
      const labels = drawn.map(bar => bar.label);
      const largest = measure === TIGHT ? 32 : typeScale.answer.size;
      return fitText(labels, `${roomKey(room, picture)} ${largest}`, largest, SMALLEST_TEXT);
    },
  };
}

function addBar(parent: ParentNode, tools: DrawingTools): Bar {
  const row = addBarRow(parent, 'div');
  return { ...row, figures: new Values(row.values, tools) };
}

function drawBar(bar: Bar, row: PictureRow, picture: Picture, { wording, settings }: DrawingTools): void {
  writeAnswer(bar.label, row.answer);
  setText(bar.tag, markOf(row, picture, wording));
  showRowState(bar, row);
  paint(bar.fill, fillOf(row.place, settings));
}
