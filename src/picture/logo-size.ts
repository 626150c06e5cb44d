export interface Size {
  readonly width: number;
  readonly height: number;
}

/** In units: little more than a line of the title, so that a logo costs the answers next to nothing. */
const MOST: Size = { width: 240, height: 72 };
/** Share of the panel's width. */
const WIDEST = 0.22;
/** In units, between title and logo. */
export const LOGO_GAP = 28;

/**
 * Sizes the logo of a show for a panel, in units.
 *
 * @param height room at the panel's head.
 * @returns undefined where that is too low
 */
export function fitLogo(natural: Size, panelWidth: number, height: number): Size | undefined {
  const widest = Math.min(MOST.width, panelWidth * WIDEST);
  const scale = Math.min(widest / natural.width, MOST.height / natural.height);
  if (!(scale > 0) || height < MOST.height) return undefined;
  return { width: natural.width * scale, height: natural.height * scale };
}
