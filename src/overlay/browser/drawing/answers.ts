import { badgeOf, type Fill, PATTERNS, TILE } from '../../../picture/fill.ts';
import type { Picture, PictureRow } from '../../../picture/picture.ts';
import type { OverlayWording } from '../../../picture/wording.ts';
import type { DrawingTools } from './drawing.ts';
import { addElement, addSvg, setStyle, setText } from './element.ts';
import type { Figure } from './figures.ts';
import { writeAnswer } from './fit-text.ts';
import { delaysOf, type Motion, setDelay } from './motion.ts';

interface Answer {
  readonly element: HTMLElement;
  readonly label: HTMLElement;
  /** Absent where the label itself is styled as the badge. */
  readonly tag?: HTMLElement;
}

/** Draws label, badge and classes of an answer, which all styles have in common. */
export function drawAnswer(answer: Answer, row: PictureRow, picture: Picture, wording: OverlayWording): void {
  const { element, label, tag } = answer;
  writeAnswer(label, row.answer);
  if (tag) setText(tag, badgeOf(row, picture, wording));
  element.classList.toggle('leads', row.leads);
  element.classList.toggle('wins', row.wins);
}

export class Values {
  readonly element: HTMLElement;
  readonly #percent: Figure | undefined;
  readonly #count: Figure | undefined;
  #compact = false;

  /** @param element empty, with the class `values` */
  constructor(element: HTMLElement, { settings, figures, wording }: DrawingTools) {
    this.element = element;
    element.classList.add(`values-${settings.values}`);
    if (settings.values !== 'percent')
      this.#count = figures.add(addElement(element, 'span', 'count'), votes =>
        wording.count(votes, this.#compact),
      );
    if (settings.values !== 'count')
      this.#percent = figures.add(addElement(element, 'span', 'percent'), value => wording.percent(value));
  }

  /** @param compact writes counts in few digits; the same for all figures of a picture */
  set(row: Pick<PictureRow, 'percent' | 'votes'>, motion: Motion, delayMs: number, compact: boolean): void {
    if (compact !== this.#compact) {
      this.#compact = compact;
      this.#count?.write();
    }
    this.#percent?.set(row.percent, motion, delayMs);
    this.#count?.set(row.votes, motion, delayMs);
  }
}

interface KeyedElement {
  readonly element: HTMLElement;
  readonly part?: SVGElement;
}

/** Keeps one element for each answer in any order, so that an answer can slide to its new place. */
export class KeyedRows<R extends KeyedElement> {
  readonly #parent: ParentNode;
  readonly #create: (parent: ParentNode) => R;
  readonly #rows = new Map<string, R & { at?: number }>();

  constructor(parent: ParentNode, create: (parent: ParentNode) => R) {
    this.#parent = parent;
    this.#create = create;
  }

  /** Calls `draw` for each row in order, with its delay in an entrance, and removes the elements of all other answers. */
  place(
    rows: readonly PictureRow[],
    motion: Motion,
    draw: (element: R, row: PictureRow, at: number, delayMs: number) => void,
  ): R[] {
    const ids = new Set(rows.map(row => row.id));
    for (const [id, { element, part }] of this.#rows) {
      if (ids.has(id)) continue;
      // A running animation would keep the removed element in memory.
      for (const running of element.getAnimations()) running.cancel();
      element.remove();
      part?.remove();
      this.#rows.delete(id);
    }
    const delays = delaysOf(motion, rows);
    return rows.map((row, at) => {
      const known: R & { at?: number } = this.#rows.get(row.id) ?? this.#create(this.#parent);
      this.#rows.set(row.id, known);
      const { element, part } = known;
      const delayMs = delays[at] ?? 0;
      setDelay(motion, delayMs, part ? [element, part] : [element]);
      if (motion.kind === 'change' && motion.swapMs > 0) pass(element, at - (known.at ?? at), motion.swapMs);
      known.at = at;
      draw(known, row, at, delayMs);
      return known;
    });
  }
}

/** Where two rows swap places, the rising one is in front and the sinking one fades. */
function pass(element: HTMLElement, down: number, duration: number): void {
  if (down < 0) element.animate({ zIndex: [1, 1] }, { duration });
  if (down > 0) element.animate({ opacity: [1, 0.35, 1] }, { duration, easing: 'ease-in-out' });
}

export function paint(element: HTMLElement, { color, pattern }: Fill): void {
  setStyle(element, 'background-color', color);
  setStyle(element, 'background-image', pattern === undefined ? 'none' : patternImage(pattern));
}

const STROKE = {
  fill: 'none',
  stroke: '#000',
  'stroke-opacity': '.5',
  'stroke-width': '3.4',
  'stroke-linecap': 'round',
};

function patternImage(pattern: number): string {
  const stroke = Object.entries(STROKE).map(([name, value]) => `${name}="${value}"`);
  const tile = `<svg xmlns="http://www.w3.org/2000/svg" width="${TILE}" height="${TILE}"><path d="${PATTERNS[pattern]}" ${stroke.join(' ')}/></svg>`;
  return `url("data:image/svg+xml,${encodeURIComponent(tile)}")`;
}

let paints = 0;

/** Returns a fill as an SVG paint: its colour, or a reference to a pattern, which is added to `defs` once. */
export function svgPaint(defs: SVGElement, { color, pattern }: Fill): string {
  if (pattern === undefined) return color;
  const name = `${color} ${pattern}`;
  const known = [...defs.children].find(child => child.getAttribute('data-fill') === name);
  if (known) return `url(#${known.id})`;
  paints += 1;
  const id = `tallycast-fill-${paints}`;
  const tile = addSvg(defs, 'pattern', {
    id,
    width: TILE,
    height: TILE,
    patternUnits: 'userSpaceOnUse',
    patternTransform: 'scale(0.55)',
    'data-fill': name,
  });
  addSvg(tile, 'rect', { width: TILE, height: TILE, fill: color, stroke: 'none' });
  addSvg(tile, 'path', { d: PATTERNS[pattern] ?? '', ...STROKE });
  return `url(#${id})`;
}
