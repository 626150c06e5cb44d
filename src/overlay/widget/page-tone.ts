import type { Tone } from '../../row/palette.ts';

/** A backing that lets more through than this is not what decides. */
const SEEN_FROM = 0.5;
/** Middle grey, as it is seen. */
const MIDDLE = 0.55;

/**
 * Whether an element stands on something dark or light: by the first backing around it that hides what is behind. Behind a
 * picture, or where the page has no backing at all, the colour of its text tells what it is to be read on, which follows the
 * page's `color-scheme`, too. What the reader's system prefers counts only where the page follows it.
 */
export function toneAround(element: Element): Tone {
  for (let around: Element | null = element; around; around = parentOf(around)) {
    const { backgroundColor, backgroundImage } = getComputedStyle(around);
    if (backgroundImage !== 'none') break;
    const { lightness, alpha } = readColor(backgroundColor);
    if (alpha >= SEEN_FROM) return lightness < MIDDLE ? 'dark' : 'light';
  }
  return readColor(getComputedStyle(element).color).lightness < MIDDLE ? 'light' : 'dark';
}

const listeners = new Set<() => void>();
let ignore: (() => void) | undefined;

/**
 * Calls back when something happened by which the page may have turned light or dark: its style sheets, the attributes by which
 * pages switch, the reader's system. All widgets share what listens to the page.
 *
 * @returns what ends it
 */
export function watchPageTone(listener: () => void): () => void {
  listeners.add(listener);
  ignore ??= listenToPage(() => {
    for (const told of listeners) told();
  });
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    ignore?.();
    ignore = undefined;
  };
}

function listenToPage(tell: () => void): () => void {
  const switches = new MutationObserver(tell);
  const { documentElement, body, head } = document;
  for (const element of [documentElement, body]) switches.observe(element, { attributes: true });
  switches.observe(head, { attributes: true, childList: true, subtree: true });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', tell);
  addEventListener('load', tell);
  // A page that fades into its other colours has them only at the end.
  document.addEventListener('transitionend', tell);
  return () => {
    switches.disconnect();
    system.removeEventListener('change', tell);
    removeEventListener('load', tell);
    document.removeEventListener('transitionend', tell);
  };
}

function parentOf(element: Element): Element | null {
  if (element.assignedSlot) return element.assignedSlot;
  if (element.parentElement) return element.parentElement;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Of a colour as browsers compute it: `rgb()` of 255, `color()` of 1, or a space that begins with the lightness. */
export function readColor(color: string): { lightness: number; alpha: number } {
  const [space = '', ...numbers] = color.match(/^[a-z]+|[-+.\d]+(?:e[-+]?\d+)?/gi) ?? [];
  const [one = 0, two = 0, three = 0, alpha = 1] = numbers.map(Number);
  if (space.startsWith('ok')) return { lightness: one, alpha };
  if (/^l(ab|ch)$/.test(space)) return { lightness: one / 100, alpha };
  const whole = space === 'color' ? 1 : 255;
  return { lightness: (0.299 * one + 0.587 * two + 0.114 * three) / whole, alpha };
}
