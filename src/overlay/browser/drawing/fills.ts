import { paletteColors } from '../../../row/palette.ts';
import { themeTones } from '../../look/themes.ts';
import type { Settings } from '../../parameter/read-parameters.ts';
import { setStyle } from './element.ts';
import { patternCount, patternImage } from './patterns.ts';

export interface Fill {
  readonly color: string;
  /** Undefined for a plain colour. */
  readonly pattern: number | undefined;
}

/**
 * What tells an answer apart, by its place in the poll. Where the colours are used up they begin again with a
 * pattern, so that no two answers look alike.
 */
export function fillOf(place: number, settings: Settings): Fill {
  const colors = settings.colors ?? paletteColors(themeTones[settings.theme]);
  const round = Math.floor(place / colors.length);
  const color = colors[place % colors.length] ?? '#888888';
  if (settings.patterns) return { color, pattern: (place + round) % patternCount };
  return { color, pattern: round === 0 ? undefined : (round - 1) % patternCount };
}

export function paint(element: HTMLElement, fill: Fill): void {
  setStyle(element, 'background-color', fill.color);
  setStyle(element, 'background-image', fill.pattern === undefined ? 'none' : patternImage(fill.pattern));
}
