import { setStyle, setText } from './element.ts';
import { ownEnd, splitGraphemes } from './own-end.ts';

/** Shrinks in steps so fine that nobody sees which one it is. */
const STEPS = 4;
/** Lines may be rounded to whole pixels. */
const LINE_PX = 1;
/** Layout counts in 64ths of a pixel; a browser draws an ellipsis for the least of them. */
const LEAST_PX = 1 / 64;

interface Fit {
  readonly key: string;
  readonly lackPx: number;
}

/** For which text and room each element was fitted last, and how much width it lacked at its largest. */
const fits = new WeakMap<HTMLElement, Fit>();

/**
 * Gives each element the largest of a few font sizes at which nothing of it is cut; below the smallest the style sheet's
 * ellipsis takes over, and the class `cut` says so. Where two would be cut to the same, each loses its middle instead. All are
 * measured together: one layout a step, however many there are, and none where neither text nor `room` changed.
 *
 * @param room names whatever decides how much room there is.
 * @param largest and `floor` are pixels of a picture that is 1080 high.
 * @param alike gives all the same size: the one that the longest needs.
 * @returns by how many CSS pixels the widest lacks room at its largest; 0 where all have enough.
 */
export function fitText(
  elements: readonly HTMLElement[],
  room: string,
  largest: number,
  floor: number,
  alike = false,
): number {
  const changed = elements.filter(element => fits.get(element)?.key !== keyOf(element, room));
  const news = alike && changed.length > 0 ? elements : changed;
  for (const element of news) writeText(element, wholeText(element));
  let open: readonly HTMLElement[] = news;
  for (let step = 0; step <= STEPS && open.length > 0; step++) {
    for (const element of open) {
      element.classList.toggle('cut', false);
      setStyle(element, 'font-size', sizeOf(largest - ((largest - floor) * step) / STEPS));
    }
    if (step === 0)
      for (const element of news) fits.set(element, { key: keyOf(element, room), lackPx: lackOf(element) });
    const cut = open.filter(isCut);
    if (step === STEPS || !alike) for (const element of cut) element.classList.toggle('cut', true);
    open = alike && cut.length > 0 && step < STEPS ? news : cut;
  }
  const texts = elements.map(wholeText);
  for (const element of open) shorten(element, ownEnd(wholeText(element), texts));
  const lacks = elements.map(element => fits.get(element)?.lackPx ?? 0);
  return Math.max(0, ...lacks);
}

/** Writes what `fitText` is to fit; what it has shortened stays so while the text is the same. */
export function writeAnswer(element: HTMLElement, text: string): void {
  if (wholeText(element) !== text) writeText(element, text);
}

/** Fits all texts within `root` again when they are drawn next: another font has other widths. */
export function forgetFits(root: HTMLElement): void {
  for (const element of root.querySelectorAll<HTMLElement>('*')) fits.delete(element);
}

function keyOf(element: HTMLElement, room: string): string {
  return `${room} ${wholeText(element)}`;
}

function wholeText(element: HTMLElement): string {
  return element.dataset['whole'] ?? element.textContent ?? '';
}

function writeText(element: HTMLElement, text: string): void {
  delete element.dataset['whole'];
  setText(element, text);
}

/** Leaves as much of the beginning as there is room for beside `end`. */
function shorten(element: HTMLElement, end: string): void {
  if (end === '') return;
  const whole = wholeText(element);
  const beginning = splitGraphemes(whole.slice(0, whole.length - end.length));
  element.dataset['whole'] = whole;
  let [enough, tooMany] = [0, beginning.length];
  while (tooMany - enough > 1) {
    const middle = (enough + tooMany) >> 1;
    setText(element, `${beginning.slice(0, middle).join('').trimEnd()}…${end}`);
    if (isCut(element)) tooMany = middle;
    else enough = middle;
  }
  setText(element, `${beginning.slice(0, enough).join('').trimEnd()}…${end}`);
}

function sizeOf(units: number): string {
  return `calc(var(--u) * ${units})`;
}

/** By how many CSS pixels the text is wider than its box, or would have to be wider for its lines to fit; 0 where all fits. */
function lackOf(element: HTMLElement): number {
  const { clientWidth, scrollWidth, clientHeight, scrollHeight } = element;
  if (scrollHeight > clientHeight + LINE_PX) return clientWidth * (scrollHeight / clientHeight - 1);
  if (scrollWidth > clientWidth) return scrollWidth - clientWidth;
  // Both are rounded to whole pixels.
  const range = document.createRange();
  range.selectNodeContents(element);
  const box = element.getBoundingClientRect();
  const lack = range.getBoundingClientRect().width - box.width;
  return lack > LEAST_PX ? lack : 0;
}

function isCut(element: HTMLElement): boolean {
  return lackOf(element) > 0;
}
