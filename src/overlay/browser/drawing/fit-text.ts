import { setStyle } from './element.ts';

/** Shrinks in steps so fine that nobody sees which one it is. */
const STEPS = 4;
/** Fractions of a pixel are not seen. */
const TOLERANCE_PX = 1;

/** For which text and room each element was fitted last. */
const fitted = new WeakMap<HTMLElement, string>();

/**
 * Gives each element the largest of a few font sizes at which nothing of it is cut; below the smallest the style
 * sheet's ellipsis takes over, and the class `cut` says so. All are measured together: one layout a step, however many there are, and none
 * where neither text nor `room` changed.
 *
 * @param room names whatever decides how much room there is.
 * @param largest and `floor` are pixels of a picture that is 1080 high.
 */
export function fitText(
  elements: readonly HTMLElement[],
  room: string,
  largest: number,
  floor: number,
): void {
  let open = elements.filter(element => isNews(element, `${room} ${element.textContent}`));
  for (let step = 0; step <= STEPS && open.length > 0; step++) {
    const size = largest - ((largest - floor) * step) / STEPS;
    for (const element of open) setStyle(element, 'font-size', `calc(var(--u) * ${size})`);
    for (const element of open) element.classList.toggle('cut', isCut(element));
    open = open.filter(element => element.classList.contains('cut'));
  }
}

/** Fits all texts within `root` again when they are drawn next: another font has other widths. */
export function forgetFits(root: HTMLElement): void {
  for (const element of root.querySelectorAll<HTMLElement>('*')) fitted.delete(element);
}

function isNews(element: HTMLElement, key: string): boolean {
  if (fitted.get(element) === key) return false;
  fitted.set(element, key);
  return true;
}

function isCut(element: HTMLElement): boolean {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
  return scrollWidth > clientWidth + TOLERANCE_PX || scrollHeight > clientHeight + TOLERANCE_PX;
}
