import type { Picture, PictureRow } from '../../picture/picture.ts';
import type { Drawing, DrawingTools, Room } from './drawing.ts';
import { addElement, addSvg, addText, setStyle, setText } from './element.ts';
import type { Figure } from './figures.ts';
import { type Fill, fillOf, paint } from './fills.ts';
import { fitText } from './fit-text.ts';
import { KeyedRows } from './keyed-rows.ts';
import { addPatternPaint } from './patterns.ts';
import { Values } from './values.ts';

/** `donut.css` draws to the same measure. */
const RING_STACKED = 320;
const GAP = 44;
const ROW_HEIGHT = 58;
/** A ring with more parts than this cannot be read; the rest is one part without colour. */
const MOST_PARTS = 8;
/** Below this width the list goes under the ring. */
const STACKED_BELOW = 720;
const LABEL_SIZE = 32;
const SMALLEST_TEXT = 28.5;
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
 * A ring and its list. The parts keep the order of the poll, so that the ring never reshuffles; the list sorts.
 * The ring moves by its dashes: that paints, and lays out nothing.
 */
export function createDonut(body: HTMLElement, tools: DrawingTools): Drawing {
  const ring = addElement(body, 'div', 'ring');
  const svg = addSvg(ring, 'svg', { viewBox: '0 0 200 200', 'aria-hidden': 'true' });
  const defs = addSvg(svg, 'defs', {});
  addCircle(svg, 'ring-track');
  const list = addElement(body, 'div', 'list');
  const center = addElement(ring, 'div', 'center');
  const best: Figure = tools.figures.add(center, tools.wording.percent);
  let isNarrow = false;
  const { count, shortCount } = tools.wording;
  const formatCount = (votes: number) => (isNarrow ? shortCount : count)(votes);
  const entries = new KeyedRows<Entry>(list, parent => addEntry(parent, svg, tools, formatCount));
  return {
    preferredWidth: () => 1060,
    fit: room => {
      const forList = isStacked(room) ? room.height - RING_STACKED - GAP : room.height;
      return Math.max(1, Math.min(MOST_PARTS, Math.floor(forList / ROW_HEIGHT)));
    },
    draw(picture: Picture, room: Room, still: boolean) {
      isNarrow = isStacked(room);
      body.classList.toggle('stacked', isNarrow);
      body.classList.toggle('narrow', isNarrow);
      setStyle(list, 'height', `calc(var(--u) * ${picture.rows.length * ROW_HEIGHT})`);
      const begins = partBegins(picture.rows);
      const drawn = entries.place(picture.rows, (entry, row, at) => {
        setStyle(entry.element, 'transform', `translateY(calc(var(--u) * ${at * ROW_HEIGHT}))`);
        drawEntry(entry, row, picture, tools, still);
        drawPart(entry.part, row, begins.get(row.id) ?? 0, paintOf(defs, fillOf(row.place, tools.settings)));
      });
      best.set(Math.max(0, ...picture.rows.map(row => row.percent)), still);
      center.hidden = tools.settings.values === 'count' || picture.moment === 'waiting';
      const labels = drawn.map(entry => entry.label);
      fitText(labels, `${room.width} ${picture.moment}`, LABEL_SIZE, SMALLEST_TEXT);
    },
  };
}

function isStacked(room: Room): boolean {
  return room.width < STACKED_BELOW;
}

function addCircle(parent: ParentNode, className: string): SVGElement {
  return addSvg(parent, 'path', { class: className, d: CIRCLE, pathLength: '100' });
}

function addEntry(
  list: ParentNode,
  svg: SVGElement,
  tools: DrawingTools,
  formatCount: (votes: number) => string,
): Entry {
  const element = addElement(list, 'div', 'row entry');
  const swatch = addElement(element, 'span', 'swatch');
  const label = addText(element, 'bdi', 'label');
  const tag = addElement(element, 'span', 'tag');
  const values = new Values(element, tools, formatCount);
  const part = addCircle(svg, 'part');
  return { element, swatch, label, tag, values, part };
}

function drawEntry(
  entry: Entry,
  row: PictureRow,
  picture: Picture,
  tools: DrawingTools,
  still: boolean,
): void {
  const { settings, wording } = tools;
  const lost = picture.moment === 'closed' && settings.winner && !row.wins;
  setText(entry.label, row.answer);
  setText(entry.tag, row.wins ? (picture.tie ? wording.tie : wording.winner) : '');
  entry.element.classList.toggle('leads', row.leads);
  entry.element.classList.toggle('wins', row.wins);
  entry.part.classList.toggle('part-lost', lost);
  paint(entry.swatch, fillOf(row.place, settings));
  entry.values.set(row, still);
}

/** Where on the ring each part begins, in percent. */
function partBegins(rows: readonly PictureRow[]): Map<string, number> {
  const begins = new Map<string, number>();
  let begin = 0;
  for (const row of [...rows].sort((one, other) => one.place - other.place)) {
    begins.set(row.id, begin);
    begin += row.share * 100;
  }
  return begins;
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
