import { contrast, toRgb } from './color.ts';
import type { Settings } from './parameters.ts';
import type { PictureRow } from './picture.ts';
import { palettes } from './row-look.ts';
import { type Theme, themeTones } from './themes.ts';

export interface Fill {
  readonly color: string;
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
  return { color: color ?? colors[place % colors.length] ?? '#888888', edge: isFaint ? soft : undefined };
}
