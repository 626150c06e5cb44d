import { setStyle } from './element.ts';

/** Shrinks in steps so fine that nobody sees which one it is. */
const STEPS = 4;

/**
 * Gives each element the largest of a few font sizes at which nothing of it is cut; below the smallest the style
 * sheet's ellipsis takes over. All are measured together: one layout a step, however many there are.
 *
 * @param largest and `floor` are pixels of a picture that is 1080 high.
 */
export function fitText(elements: readonly HTMLElement[], largest: number, floor: number): void {
  let open = elements;
  for (let step = 0; step <= STEPS && open.length > 0; step++) {
    const size = largest - ((largest - floor) * step) / STEPS;
    for (const element of open) setStyle(element, 'font-size', `calc(var(--u) * ${size})`);
    if (step < STEPS) open = open.filter(isCut);
  }
}

/** Fractions of a pixel are not seen. */
const TOLERANCE_PX = 1;

function isCut(element: HTMLElement): boolean {
  return (
    element.scrollWidth > element.clientWidth + TOLERANCE_PX ||
    element.scrollHeight > element.clientHeight + TOLERANCE_PX
  );
}
