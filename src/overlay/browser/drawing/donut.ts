import { SMALLEST_TEXT } from '../../look/themes.ts';
import { drawAnswer, fillOf, KeyedRows, paint, svgPaint, Values } from './answers.ts';
import { type DrawingFactory, type Room, roomKey, writesCompact } from './drawing.ts';
import { addElement, addSvg, addText, setHidden, setStyle, units } from './element.ts';
import { fitText, writeAnswer } from './fit-text.ts';

/** As in `donut.css`. */
const RING_STACKED = 320;
const GAP = 44;
const ROW_HEIGHT = 64;
/** A ring with more parts is illegible, so the rest stays without colour. */
const MOST_PARTS = 8;
const STACKED_BELOW = 720;
const LABEL_SIZE = 34;
/** A circle from the top. A rotated one would rotate its patterns too. */
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

/** A ring and its list in the same order. The ring moves by its dashes, which costs paint but no layout. */
export const createDonut: DrawingFactory = (body, tools) => {
  const { settings, wording, figures } = tools;
  const ring = addElement(body, 'div', 'ring');
  const svg = addSvg(ring, 'svg', { viewBox: '0 0 200 200', 'aria-hidden': 'true' });
  const defs = addSvg(svg, 'defs', {});
  const addCircle = (name: string) => addSvg(svg, 'path', { class: name, d: CIRCLE, pathLength: '100' });
  addCircle('ring-track');
  const list = addElement(body, 'div', 'list');
  const center = addElement(ring, 'div', 'center');
  const best = figures.add(addElement(center, 'span', 'best'), value => wording.percent(value));
  const name = addText(center, 'bdi', 'label two-lines');
  const entries = new KeyedRows<Entry>(list, parent => {
    const element = addElement(parent, 'div', 'row entry');
    const swatch = addElement(element, 'span', 'swatch');
    const label = addText(element, 'bdi', 'label');
    const tag = addElement(element, 'span', 'tag');
    const values = new Values(addElement(element, 'div', 'values'), tools);
    return { element, swatch, label, tag, values, part: addCircle('part') };
  });
  return {
    preferredWidth: () => 1120,
    fit(room) {
      const forList = isStacked(room) ? room.height - RING_STACKED - GAP : room.height;
      return Math.max(1, Math.min(MOST_PARTS, Math.floor(forList / ROW_HEIGHT)));
    },
    draw(picture, room, motion) {
      const isNarrow = isStacked(room);
      body.classList.toggle('stacked', isNarrow);
      body.classList.toggle('narrow', isNarrow);
      setStyle(list, 'height', units(picture.rows.length * ROW_HEIGHT));
      const compact = writesCompact(room, picture);
      let begin = 0;
      const drawn = entries.place(picture.rows, motion, (entry, row, at, delayMs) => {
        const fill = fillOf(row.place, settings);
        setStyle(entry.element, 'transform', `translateY(${units(at * ROW_HEIGHT)})`);
        drawAnswer(entry, row, picture, wording);
        entry.part.classList.toggle('part-lost', row.lost);
        paint(entry.swatch, fill);
        setStyle(entry.part, 'stroke', svgPaint(defs, fill));
        setDash(entry.part, begin, row.share);
        entry.values.set(row, motion, delayMs, compact);
        begin += row.share * 100;
      });
      const leaders = picture.rows.filter(row => row.leads);
      best.set(leaders[0]?.percent ?? 0, motion);
      writeAnswer(name, leaders.length === 1 ? leaders[0]!.answer : '');
      setHidden(center, settings.values === 'count' || leaders.length === 0);
      fitText([name], `${isNarrow}`, SMALLEST_TEXT, SMALLEST_TEXT);
      const labels = drawn.map(entry => entry.label);
      return fitText(labels, roomKey(room, picture), LABEL_SIZE, SMALLEST_TEXT);
    },
  };
};

function isStacked(room: Room): boolean {
  return room.width < STACKED_BELOW;
}

/** @param begin percent of the ring before this part */
function setDash(part: SVGElement, begin: number, share: number): void {
  const isWhole = share > 0.9999;
  const length = Math.max(0, share * 100 - (isWhole ? 0 : SEAM));
  setStyle(part, 'stroke-dasharray', `${length.toFixed(3)} ${(100 - length).toFixed(3)}`);
  setStyle(part, 'stroke-dashoffset', (-begin).toFixed(3));
}
