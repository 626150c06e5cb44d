import { SMALLEST_TEXT } from '../../look/type-scale.ts';
import type { Picture, PictureRow } from '../../picture/picture.ts';
import { drawAnswer } from './answer.ts';
import { type Drawing, type DrawingTools, type Room, roomKey, writesCompact } from './drawing.ts';
import { addElement, addSvg, addText, setHidden, setStyle } from './element.ts';
import type { Figure } from './figures.ts';
import { type Fill, fillOf, paint } from './fills.ts';
import { fitText, writeAnswer } from './fit-text.ts';
import { KeyedRows } from './keyed-rows.ts';
import type { Motion } from './motion.ts';
import { addPatternPaint } from './patterns.ts';
import { Values } from './values.ts';

/** `donut.css` draws to the same measure. */
const RING_STACKED = 320;
const GAP = 44;
const ROW_HEIGHT = 64;
/** A ring with more parts than this cannot be read; the rest is one part without colour. */
const MOST_PARTS = 8;
/** Below this width the list goes under the ring. */
const STACKED_BELOW = 720;
const LABEL_SIZE = 34;
/** A circle that begins on top, as the ring does. Turning one that begins on the right would turn the patterns. */
const CIRCLE = 'M100 20A80 80 0 0 1 100 180A80 80 0 0 1 100 20';
/** Percent of the ring between two parts. */
const SEAM = 0.5;

interface Entry {
  readonly element: HTMLElement;
  readonly swatch: HTMLElement;
  readonly label: HTMLElement;
  readonly tag: HTMLElement;
  readonly values: Values;
  readonly part: SVGElement;
}

/**
 * A ring and its list, in the same order from the top on. The ring moves by its dashes: that paints, and lays out nothing.
 */
export function createDonut(body: HTMLElement, tools: DrawingTools): Drawing {
  const ring = addElement(body, 'div', 'ring');
  const svg = addSvg(ring, 'svg', { viewBox: '0 0 200 200', 'aria-hidden': 'true' });
  const defs = addSvg(svg, 'defs', {});
  addCircle(svg, 'ring-track');
  const list = addElement(body, 'div', 'list');
  const center = addElement(ring, 'div', 'center');
  const best: Figure = tools.figures.add(addElement(center, 'span', 'best'), value =>
    tools.wording.percent(value),
  );
  const name = addText(center, 'bdi', 'label two-lines');
  const entries = new KeyedRows<Entry>(list, parent => addEntry(parent, svg, tools));
  return {
    preferredWidth: () => 1120,
    fit: room => {
      const forList = isStacked(room) ? room.height - RING_STACKED - GAP : room.height;
      return Math.max(1, Math.min(MOST_PARTS, Math.floor(forList / ROW_HEIGHT)));
    },
    draw(picture: Picture, room: Room, motion: Motion): number {
      const isNarrow = isStacked(room);
      body.classList.toggle('stacked', isNarrow);
      body.classList.toggle('narrow', isNarrow);
      setStyle(list, 'height', `calc(var(--u) * ${picture.rows.length * ROW_HEIGHT})`);
      const compact = writesCompact(room, picture);
      let begin = 0;
      const drawn = entries.place(picture.rows, motion, (entry, row, at, delayMs) => {
        setStyle(entry.element, 'transform', `translateY(calc(var(--u) * ${at * ROW_HEIGHT}))`);
        drawEntry(entry, row, picture, tools);
        drawPart(entry.part, row, begin, paintOf(defs, fillOf(row.place, tools.settings)));
        entry.values.set(row, motion, delayMs, compact);
        begin += row.share * 100;
      });
      const leader = picture.rows.find(row => row.leads);
      best.set(leader?.percent ?? 0, motion);
      writeAnswer(name, picture.rows.filter(row => row.leads).length === 1 ? (leader?.answer ?? '') : '');
      setHidden(center, tools.settings.values === 'count' || leader === undefined);
      fitText([name], `${isNarrow}`, SMALLEST_TEXT, SMALLEST_TEXT);
      const labels = drawn.map(entry => entry.label);
      return fitText(labels, roomKey(room, picture), LABEL_SIZE, SMALLEST_TEXT);
    },
  };
}

function isStacked(room: Room): boolean {
  return room.width < STACKED_BELOW;
}

function addCircle(parent: ParentNode, className: string): SVGElement {
  return addSvg(parent, 'path', { class: className, d: CIRCLE, pathLength: '100' });
}

function addEntry(list: ParentNode, svg: SVGElement, tools: DrawingTools): Entry {
  const element = addElement(list, 'div', 'row entry');
  const swatch = addElement(element, 'span', 'swatch');
  const label = addText(element, 'bdi', 'label');
  const tag = addElement(element, 'span', 'tag');
  const values = new Values(addElement(element, 'div', 'values'), tools);
  const part = addCircle(svg, 'part');
  return { element, swatch, label, tag, values, part };
}

function drawEntry(entry: Entry, row: PictureRow, picture: Picture, tools: DrawingTools): void {
  drawAnswer(entry, row, picture, tools.wording);
  entry.part.classList.toggle('part-lost', row.lost);
  paint(entry.swatch, fillOf(row.place, tools.settings));
}

function drawPart(part: SVGElement, row: PictureRow, begin: number, stroke: string): void {
  const whole = row.share > 0.9999;
  const length = Math.max(0, row.share * 100 - (whole ? 0 : SEAM));
  setStyle(part, 'stroke', stroke);
  setStyle(part, 'stroke-dasharray', `${length.toFixed(3)} ${(100 - length).toFixed(3)}`);
  setStyle(part, 'stroke-dashoffset', (-begin).toFixed(3));
}

let paints = 0;

/** The colour itself, or a reference to a pattern in the ring's own definitions. */
function paintOf(defs: SVGElement, fill: Fill): string {
  if (fill.pattern === undefined) return fill.color;
  const name = `${fill.color} ${fill.pattern}`;
  const known = [...defs.children].find(child => child.getAttribute('data-fill') === name);
  if (known) return `url(#${known.id})`;
  paints += 1;
  const id = `tallycast-fill-${paints}`;
  addPatternPaint(defs, id, fill.pattern, fill.color).setAttribute('data-fill', name);
  return `url(#${id})`;
}
