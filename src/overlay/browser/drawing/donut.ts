import { fillOf } from '../../../picture/fill.ts';
import { SMALLEST_TEXT } from '../../../picture/themes.ts';
import { drawAnswer, KeyedRows, paint, svgPaint, Values } from './answers.ts';
import { type DrawingFactory, type Room, roomKey, writesCompact } from './drawing.ts';
import { addElement, addSvg, addText, setHidden, setStyle, units } from './element.ts';
import { fitNames, fitText, writeAnswer } from './fit-text.ts';
import { delaysOf, setDelay } from './motion.ts';

const RING = { beside: 360, stacked: 320 };
/** A smaller ring gives way to its list. */
const LEAST_RING = 150;
/** From here on the leader's name has room inside. */
const NAMED_RING = 300;
/** Rows that a stacked ring leaves room for. */
const LEAST_ROWS = 2;
/** As in `donut.css`. */
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
  const name = addText(center, 'bdi', 'label lines');
  const entries = new KeyedRows<Entry>(list, parent => {
    const element = addElement(parent, 'div', 'row entry');
    const swatch = addElement(element, 'span', 'swatch');
    const label = addText(element, 'bdi', 'label');
    const tag = addElement(element, 'span', 'tag');
    const values = new Values(addElement(element, 'div', 'values'), tools);
    return { element, swatch, label, tag, values, part: addCircle('part') };
  });
  return {
    answerSize: LABEL_SIZE,
    preferredWidth: () => 1120,
    heights(answers, width) {
      const list = Math.min(MOST_PARTS, answers.length) * ROW_HEIGHT;
      return isStacked({ width })
        ? { least: LEAST_ROWS * ROW_HEIGHT, preferred: RING.stacked + GAP + list }
        : { least: LEAST_RING, preferred: Math.max(RING.beside, list) };
    },
    fit(room) {
      const forList = isStacked(room) ? room.height - ringOf(room) - GAP : room.height;
      return Math.max(1, Math.min(MOST_PARTS, Math.floor(forList / ROW_HEIGHT)));
    },
    draw(picture, room, motion) {
      const isNarrow = isStacked(room);
      body.classList.toggle('stacked', isNarrow);
      const ringSize = ringOf(room);
      setHidden(ring, ringSize === 0);
      setStyle(ring, '--ring', units(ringSize));
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
      const leaderMs = delaysOf(motion, picture.rows)[picture.rows.findIndex(row => row.leads)] ?? 0;
      setDelay(motion, leaderMs, [center]);
      best.set(leaders[0]?.percent ?? 0, motion, leaderMs);
      writeAnswer(name, leaders.length === 1 ? leaders[0]!.answer : '');
      setHidden(center, settings.values === 'count' || leaders.length === 0);
      setHidden(name, ringSize < NAMED_RING);
      fitText([name], { key: `${ringSize}`, largest: SMALLEST_TEXT, floor: SMALLEST_TEXT });
      return fitNames(body, drawn, {
        key: roomKey(room, picture),
        largest: LABEL_SIZE,
        floor: SMALLEST_TEXT,
      });
    },
  };
};

function isStacked({ width }: Pick<Room, 'width'>): boolean {
  return width < STACKED_BELOW;
}

/** Returns the ring's diameter in units, or 0 where there is no room for one. */
function ringOf(room: Room): number {
  if (!isStacked(room)) return Math.max(LEAST_RING, Math.min(RING.beside, room.height));
  const size = Math.min(RING.stacked, room.height - GAP - LEAST_ROWS * ROW_HEIGHT);
  return size < LEAST_RING ? 0 : size;
}

/** @param begin percent of the ring before this part */
function setDash(part: SVGElement, begin: number, share: number): void {
  const isWhole = share > 0.9999;
  const length = Math.max(0, share * 100 - (isWhole ? 0 : SEAM));
  setStyle(part, 'stroke-dasharray', `${length.toFixed(3)} ${(100 - length).toFixed(3)}`);
  setStyle(part, 'stroke-dashoffset', (-begin).toFixed(3));
}
