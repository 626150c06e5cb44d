import { setStyle, setText, units } from './element.ts';

const STEPS = 4;
/** Browsers may round lines to whole pixels. */
const LINE_PX = 1;
/** Layout works in 64ths of a pixel, and the least of them causes an ellipsis. */
const LEAST_PX = 1 / 64;
/** Longest distinct end, in letters: a longer one would leave no room for the beginning. */
const LONGEST_END = 14;
/** Texts that differ within so many letters are distinct even when cut. */
const DISTINCT_WITHIN = 6;

interface Fit {
  readonly key: string;
  readonly lackPx: number;
}

/** Text and room of each element's last fit, and the width it lacked at its largest size. */
const fits = new WeakMap<HTMLElement, Fit>();

/**
 * Sets the largest font size at which no text is cut. A text that is too long at the smallest size gets the class `cut` and an
 * ellipsis, or loses its middle where its end is what distinguishes it. Costs one layout a step for all elements together, and
 * none where neither text nor `room` changed.
 *
 * @param room a key that changes whenever the available room does
 * @param largest and `floor` are in units
 * @param alike gives all elements the size of the longest
 * @returns the CSS pixels that the widest text lacks at the largest size, or 0
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
      setStyle(element, 'font-size', units(largest - ((largest - floor) * step) / STEPS));
    }
    if (step === 0)
      for (const element of news) fits.set(element, { key: keyOf(element, room), lackPx: lackOf(element) });
    const cut = open.filter(isCut);
    if (step === STEPS || !alike) for (const element of cut) element.classList.toggle('cut', true);
    open = alike && cut.length > 0 && step < STEPS ? news : cut;
  }
  const texts = elements.map(wholeText);
  for (const element of open) shorten(element, distinctEnd(wholeText(element), texts));
  return Math.max(0, ...elements.map(element => fits.get(element)?.lackPx ?? 0));
}

/** Sets the text that `fitText` will fit. An unchanged text stays shortened. */
export function writeAnswer(element: HTMLElement, text: string): void {
  if (wholeText(element) !== text) writeText(element, text);
}

/** Makes the next `fitText` measure everything within `root` again, because another font has other widths. */
export function forgetFits(root: HTMLElement): void {
  for (const element of root.querySelectorAll<HTMLElement>('*')) fits.delete(element);
}

/** Returns the end that distinguishes a text from others with the same beginning; empty if that is not needed or too long. */
export function distinctEnd(text: string, others: readonly string[]): string {
  const lengths = others.filter(other => other !== text).map(other => commonLength(text, other));
  const common = Math.max(0, ...lengths);
  if (common < DISTINCT_WITHIN) return '';
  const end = splitGraphemes(text.slice(text.lastIndexOf(' ', common) + 1));
  return end.length <= LONGEST_END ? end.join('') : '';
}

/** Splits into user-perceived characters where the browser has `Intl.Segmenter`, else into code points. */
export function splitGraphemes(text: string): string[] {
  if (!('Segmenter' in Intl)) return [...text];
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
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

function shorten(element: HTMLElement, end: string): void {
  if (end === '') return;
  const whole = wholeText(element);
  const beginning = splitGraphemes(whole.slice(0, whole.length - end.length));
  const write = (letters: number) =>
    setText(element, `${beginning.slice(0, letters).join('').trimEnd()}…${end}`);
  element.dataset['whole'] = whole;
  let [enough, tooMany] = [0, beginning.length];
  while (tooMany - enough > 1) {
    const middle = (enough + tooMany) >> 1;
    write(middle);
    if (isCut(element)) tooMany = middle;
    else enough = middle;
  }
  write(enough);
}

/** Returns the CSS pixels by which the box is too narrow for its text, or 0. */
function lackOf(element: HTMLElement): number {
  const { clientWidth, scrollWidth, clientHeight, scrollHeight } = element;
  if (scrollHeight > clientHeight + LINE_PX) return clientWidth * (scrollHeight / clientHeight - 1);
  if (scrollWidth > clientWidth) return scrollWidth - clientWidth;
  // Both widths are rounded to whole pixels, so measure the exact text.
  const range = document.createRange();
  range.selectNodeContents(element);
  const lack = range.getBoundingClientRect().width - element.getBoundingClientRect().width;
  return lack > LEAST_PX ? lack : 0;
}

function isCut(element: HTMLElement): boolean {
  return lackOf(element) > 0;
}
