import type { Settings } from './parameters.ts';
import type { Picture, PictureRow } from './picture.ts';
import { palettes } from './row-look.ts';
import { themeTones } from './themes.ts';
import type { OverlayWording } from './wording.ts';

export function badgeOf(row: PictureRow, { tie }: Picture, wording: OverlayWording): string {
  if (!row.wins) return '';
  return tie ? wording.phrases.tie : wording.phrases.winner;
}

export interface Fill {
  readonly color: string;
  /** Index of a pattern; undefined for a plain colour. */
  readonly pattern: number | undefined;
}

/** Returns an answer's fill, by its place in the poll. Each round of the colours adds another pattern. */
export function fillOf(place: number, settings: Settings): Fill {
  const colors = settings.colors ?? palettes[themeTones[settings.theme]];
  const round = Math.floor(place / colors.length);
  const color = colors[place % colors.length] ?? '#888888';
  if (settings.patterns) return { color, pattern: (place + round) % PATTERNS.length };
  return { color, pattern: round === 0 ? undefined : (round - 1) % PATTERNS.length };
}

/** Width and height of a pattern's tile. */
export const TILE = '16';
/** Paths of one tile, which differ in direction and rhythm. */
export const PATTERNS: readonly string[] = [
  'M-4 4L4 -4M0 16L16 0M12 20L20 12',
  'M4 4h.01M12 12h.01',
  'M0 4H16M0 12H16',
  'M0 0L16 16M16 0L0 16',
  'M-4 12L4 20M0 0L16 16M12 -4L20 4',
  'M4 0V16M12 0V16',
  'M0 4L4 8L8 4L12 8L16 4M0 12L4 16L8 12L12 16L16 12',
  'M0 8H16M8 0V16',
];
