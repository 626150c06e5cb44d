import { contrast, toRgb } from './color.ts';
import type { Settings } from './parameters.ts';
import type { PictureRow } from './picture.ts';
import { palettes } from './row-look.ts';
import { type Theme, themeTones } from './themes.ts';

export interface Fill {
  readonly color: string;
  /** Index of a pattern; left out for a plain color. */
  readonly pattern?: number | undefined;
  /** Outline of a color that cannot be told apart from its ground. */
  readonly edge?: string | undefined;
}

/** What WCAG 2.2 asks for between graphics and their ground. */
const LEAST_CONTRAST = 3;

/**
 * Returns the fill of an answer: its own color, else one of the palette. Where one answer's own
 * color cannot be told apart from the ground, all have an outline, so that none looks chosen.
 */
export function fillOfRow(
  { place, color }: Pick<PictureRow, 'place' | 'color'>,
  settings: Settings,
  { plate, soft }: Pick<Theme, 'plate' | 'soft'>,
  all: readonly Pick<PictureRow, 'color'>[],
): Fill {
  const ground = toRgb(plate);
  const isFaint = all.some(row => row.color && contrast(toRgb(row.color), ground) < LEAST_CONTRAST);
  const colors = settings.colors ?? palettes[themeTones[settings.theme]];
  const pattern = (place + Math.floor(place / colors.length)) % PATTERNS.length;
  return {
    color: color ?? colors[place % colors.length] ?? '#888888',
    pattern: settings.patterns ? pattern : undefined,
    edge: isFaint ? soft : undefined,
  };
}

/** Width and height of a pattern's tile. */
export const TILE = 16;
type Line = readonly [x1: number, y1: number, x2: number, y2: number];
/** Strokes of one tile, which differ in direction and rhythm. */
export const PATTERNS: readonly (readonly Line[])[] = [
  [
    [-4, 4, 4, -4],
    [0, 16, 16, 0],
    [12, 20, 20, 12],
  ],
  [
    [4, 4, 4.01, 4],
    [12, 12, 12.01, 12],
  ],
  [
    [0, 4, 16, 4],
    [0, 12, 16, 12],
  ],
  [
    [0, 0, 16, 16],
    [16, 0, 0, 16],
  ],
  [
    [-4, 12, 4, 20],
    [0, 0, 16, 16],
    [12, -4, 20, 4],
  ],
  [
    [4, 0, 4, 16],
    [12, 0, 12, 16],
  ],
  [
    [0, 4, 4, 8],
    [4, 8, 8, 4],
    [8, 4, 12, 8],
    [12, 8, 16, 4],
  ],
  [
    [0, 8, 16, 8],
    [8, 0, 8, 16],
  ],
];
