import { distinctEnd, hyphenate, isTall, splitGraphemes } from '../../../picture/text.ts';
import { setStyle, setText, units } from './element.ts';

const STEPS = 4;
/** Layout works in 64ths of a pixel, and the least of them wraps a line. */
const LEAST_PX = 1 / 64;
/** A line too many is a whole one; browsers round the rest. */
const PART_OF_LINE = 0.5;

/** At the end of a part of a text: spaces, and breaks that are not used. */
const BETWEEN_PARTS = /[\s\u00ad\u200b]+$/;

export interface FitRoom {
  /** A key that changes whenever the available room does. */
  readonly key: string;
  /** In units. */
  readonly largest: number;
  readonly floor: number;
  /** How many lines of this size there is room for. Default: what the style sheet says. */
  readonly lines?: (size: number) => number;
}

interface Fit {
  readonly key: string;
  readonly lackPx: number;
  /** In units. */
  readonly size: number;
}

/** Texts and room of each element's last fit, its size, and the width it lacked at its largest size. */
const fits = new WeakMap<HTMLElement, Fit>();

/**
 * Sets the largest font size at which no text of a list is cut; all of the list have the same. Nothing is clipped: a text that
 * is too long at the smallest size gets the class `broken` and may break between syllables, the class `split` and may break
 * between letters where a syllable is too wide, and where that does not suffice the class `cut` and an ellipsis in place of its end, or of its middle where the end is what distinguishes it. Costs one layout a step
 * for all elements together, and none where neither texts nor room changed.
 *
 * @returns the CSS pixels that the widest text lacks at the largest size, or 0
 */
export function fitText(elements: readonly HTMLElement[], room: FitRoom): number {
  if (!areFitted(elements, room)) fitAgain(elements, room);
  return Math.max(0, ...elements.map(element => fits.get(element)?.lackPx ?? 0));
}

function keyOf(elements: readonly HTMLElement[], { key, largest }: FitRoom): string {
  return [key, largest, ...elements.map(wholeText).sort()].join('\n');
}

function areFitted(elements: readonly HTMLElement[], room: FitRoom): boolean {
  const key = keyOf(elements, room);
  return elements.every(element => fits.get(element)?.key === key);
}

function fitAgain(elements: readonly HTMLElement[], room: FitRoom): void {
  const { largest, floor, lines } = room;
  const texts = elements.map(wholeText);
  const key = keyOf(elements, room);
  for (const [at, element] of elements.entries()) {
    element.classList.remove('broken', 'split', 'cut');
    writeText(element, texts[at]!);
  }
  let open = elements;
  let size = largest;
  let lacksPx: readonly number[] = [];
  for (let step = 0; step <= STEPS && open.length > 0; step++) {
    size = largest - ((largest - floor) * step) / STEPS;
    for (const element of elements) {
      setStyle(element, 'font-size', units(size));
      if (lines) setStyle(element, '--lines', `${lines(size)}`);
    }
    const lacks = elements.map(lackOf);
    if (step === 0) lacksPx = lacks;
    open = elements.filter((_, at) => lacks[at]! > 0);
  }
  for (const [at, element] of elements.entries()) fits.set(element, { key, size, lackPx: lacksPx[at] ?? 0 });
  for (const element of open) {
    element.classList.add('broken');
    writePart(element, withBreaks(element, wholeText(element)));
  }
  for (const element of open.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)) {
    element.classList.add('split');
    writePart(element, withBreaks(element, wholeText(element)));
  }
  const cut = open.filter(isCut);
  for (const element of cut) element.classList.add('cut');
  shorten(cut, texts);
}

/** Returns where a text may break: an address before its dots, words with a hyphen. */
function withBreaks(element: HTMLElement, text: string): string {
  if (element.matches('.address')) return text.replaceAll('.', '\u200b.');
  return element.matches('.lines') ? hyphenate(text, element.matches('.split')) : text;
}

interface Named {
  readonly label: HTMLElement;
  readonly tag: HTMLElement;
}

/** Fits the names in `body`, and gives it the class `untagged` where a badge beside a name would take room that it needs. */
export function fitNames(body: HTMLElement, rows: readonly Named[], room: FitRoom): number {
  const labels = rows.map(({ label }) => label);
  const tagged = rows.filter(({ tag }) => tag.textContent !== '');
  const key = [room.key, room.largest, ...tagged.map(({ label }) => wholeText(label))].join('\n');
  const known = fits.get(body);
  const isKnown = known?.key === key && areFitted(labels, room);
  if (!isKnown) body.classList.add('untagged');
  const lackPx = fitText(labels, room);
  if (isKnown) return Math.max(lackPx, known.lackPx);
  body.classList.remove('untagged');
  const tagLackPx = Math.max(0, ...tagged.map(({ label }) => lackOf(label)));
  if (tagLackPx > 0) body.classList.add('untagged');
  fits.set(body, { key, lackPx: tagLackPx, size: room.largest });
  return Math.max(lackPx, tagLackPx);
}

/** Sets the text that `fitText` will fit. An unchanged text stays shortened. */
export function writeAnswer(element: HTMLElement, text: string): void {
  if (wholeText(element) !== text) writeText(element, text);
}

/** Returns the size of an element's last fit, in units. */
export function fittedSize(element: HTMLElement | undefined): number | undefined {
  return element && fits.get(element)?.size;
}

/** Makes the next `fitText` measure everything within `root` again, because another font has other widths. */
export function forgetFits(root: HTMLElement): void {
  for (const element of root.querySelectorAll<HTMLElement>('*')) fits.delete(element);
}

function wholeText(element: HTMLElement): string {
  return element.dataset['whole'] ?? element.textContent ?? '';
}

function writeText(element: HTMLElement, text: string): void {
  delete element.dataset['whole'];
  setText(element, text);
  element.classList.toggle('tall', isTall(text));
}

/** Writes what is drawn of a text. */
function writePart(element: HTMLElement, part: string): void {
  element.dataset['whole'] = wholeText(element);
  setText(element, part);
}

/** Finds the longest beginning that fits of each text, with one layout a step for all of them. */
function shorten(elements: readonly HTMLElement[], texts: readonly string[]): void {
  const cuts = elements.map(element => {
    const whole = wholeText(element);
    const end = distinctEnd(whole, texts);
    // Words have their breaks before they are cut, because a part of a word would have others.
    const beginning = splitGraphemes(withBreaks(element, whole.slice(0, whole.length - end.length)));
    return { element, end, beginning, enough: 0, middle: 0, tooMany: beginning.length };
  });
  const write = ({ element, beginning, end }: (typeof cuts)[number], letters: number) => {
    const part = beginning.slice(0, letters).join('').replace(BETWEEN_PARTS, '');
    writePart(element, `${part}…${end}`);
  };
  for (;;) {
    const open = cuts.filter(({ enough, tooMany }) => tooMany - enough > 1);
    if (open.length === 0) break;
    for (const cut of open) {
      cut.middle = (cut.enough + cut.tooMany) >> 1;
      write(cut, cut.middle);
    }
    const lacks = open.map(({ element }) => isCut(element));
    for (const [at, cut] of open.entries()) {
      if (lacks[at]) cut.tooMany = cut.middle;
      else cut.enough = cut.middle;
    }
  }
  for (const cut of cuts) write(cut, cut.enough);
}

/** Returns the CSS pixels by which the box is too narrow for its text, or 0. */
function lackOf(element: HTMLElement): number {
  const { clientWidth, scrollWidth, clientHeight, scrollHeight } = element;
  if (scrollHeight - clientHeight > PART_OF_LINE * Number.parseFloat(getComputedStyle(element).fontSize))
    return Math.max(1, clientWidth * (scrollHeight / clientHeight - 1));
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
