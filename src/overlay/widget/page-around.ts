import { fetchBounded } from '../../client/bounded-reply.ts';
import type { Tone } from '../../picture/row-look.ts';

/** What a widget takes from the page around it, and adds to it: its tone and its fonts. */

/** A more transparent background is skipped. */
const OPAQUE_FROM = 0.5;
const MIDDLE = 0.55;

/**
 * Returns whether an element is on a dark or light background, by the first opaque one around it.
 * Over an image, or without any background, the text color decides, which follows the page's
 * `color-scheme`.
 */
export function toneAround(element: Element): Tone {
  for (let around: Element | null = element; around; around = parentOf(around)) {
    const { backgroundColor, backgroundImage } = getComputedStyle(around);
    if (backgroundImage !== 'none') break;
    const { lightness, alpha } = readColor(backgroundColor);
    if (alpha >= OPAQUE_FROM) return lightness < MIDDLE ? 'dark' : 'light';
  }
  return readColor(getComputedStyle(element).color).lightness < MIDDLE ? 'light' : 'dark';
}

function parentOf(element: Element): Element | null {
  if (element.assignedSlot) return element.assignedSlot;
  if (element.parentElement) return element.parentElement;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Parses a computed color: `rgb()` of 255, `color()` of 1, or a space that starts with the lightness. */
export function readColor(color: string): { lightness: number; alpha: number } {
  const [space = '', ...numbers] = color.match(/^[a-z]+|[-+.\d]+(?:e[-+]?\d+)?/gi) ?? [];
  const [one = 0, two = 0, three = 0, alpha = 1] = numbers.map(Number);
  if (space.startsWith('ok')) return { lightness: one, alpha };
  if (/^l(ab|ch)$/.test(space)) return { lightness: one / 100, alpha };
  const whole = space === 'color' ? 1 : 255;
  return { lightness: (0.299 * one + 0.587 * two + 0.114 * three) / whole, alpha };
}

const listeners = new Set<() => void>();
let stopListening: (() => void) | undefined;

/**
 * Calls `listener` when the page may have changed its tone. Widgets share the page's listeners.
 * Returns a function that stops.
 */
export function watchPageTone(listener: () => void): () => void {
  listeners.add(listener);
  stopListening ??= listenToPage(() => {
    for (const notify of listeners) notify();
  });
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stopListening?.();
    stopListening = undefined;
  };
}

function listenToPage(notify: () => void): () => void {
  const mutations = new MutationObserver(notify);
  const { documentElement, body, head } = document;
  for (const element of [documentElement, body]) mutations.observe(element, { attributes: true });
  mutations.observe(head, { attributes: true, childList: true, subtree: true });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', notify);
  addEventListener('load', notify);
  // Colors that fade have their final value at the end.
  document.addEventListener('transitionend', notify);
  return () => {
    mutations.disconnect();
    system.removeEventListener('change', notify);
    removeEventListener('load', notify);
    document.removeEventListener('transitionend', notify);
  };
}

/** Differs from `Inter`, so that a page's own Inter stays in use. */
const FAMILY = 'Tallycast Inter';
const FACE = /url\(([^)]+)\)[^}]*?unicode-range:\s*([^;}]+)/g;

/** Twice the font's. */
const MAX_FACES = 20;

interface Face {
  readonly url: URL;
  readonly unicodeRange: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
  isRequested: boolean;
}

const facesOf = new Map<string, Promise<Face[]>>();

/** Adds the files of the relay's font that `text` needs. They are fetched, so a CSP that allows results allows them. */
export async function loadFont(relay: string, text: string): Promise<void> {
  const faces = facesOf.get(relay) ?? fetchFaces(relay).catch(() => []);
  facesOf.set(relay, faces);
  const characters = new Set([...text].map(character => character.codePointAt(0) ?? 0));
  for (const face of await faces) {
    const isUsed = face.ranges.some(([first, last]) => [...characters].some(at => at >= first && at <= last));
    if (face.isRequested || !isUsed) continue;
    face.isRequested = true;
    void addFace(face).catch(() => undefined);
  }
}

async function fetchFaces(relay: string): Promise<Face[]> {
  const sheet = new URL('fonts/inter.css', relay.endsWith('/') ? relay : `${relay}/`);
  const css = await (await fetchBounded(sheet)).body.text();
  return [...css.matchAll(FACE)].slice(0, MAX_FACES).map(([, file = '', unicodeRange = '']) => ({
    url: new URL(file, sheet),
    unicodeRange,
    ranges: unicodeRange.split(',').map(parseRange),
    isRequested: false,
  }));
}

/** @param text like `U+0100-02BA` or `U+20AC` */
function parseRange(text: string): readonly [number, number] {
  const bounds = text.replace(/^\s*U\+/i, '').split('-');
  const [first = 0, last = first] = bounds.map(bound => Number.parseInt(bound, 16));
  return [first, last];
}

async function addFace({ url, unicodeRange }: Face): Promise<void> {
  const reply = await fetchBounded(url);
  if (!reply.ok) return;
  const face = new FontFace(FAMILY, await reply.body.arrayBuffer(), { weight: '100 900', unicodeRange });
  document.fonts.add(await face.load());
}
