import { addSvg } from './element.ts';

/** Side of a tile. */
const TILE = 16;

/** One tile each, drawn dark over the colour: told apart by direction and rhythm, not by shade. */
const PATHS: readonly string[] = [
  'M-4 4L4 -4M0 16L16 0M12 20L20 12',
  'M4 4h.01M12 12h.01',
  'M0 4H16M0 12H16',
  'M0 0L16 16M16 0L0 16',
  'M-4 12L4 20M0 0L16 16M12 -4L20 4',
  'M4 0V16M12 0V16',
  'M0 4L4 8L8 4L12 8L16 4M0 12L4 16L8 12L12 16L16 12',
  'M0 8H16M8 0V16',
];

export const patternCount = PATHS.length;

const STROKE = {
  fill: 'none',
  stroke: '#000',
  'stroke-opacity': '.5',
  'stroke-width': '3.4',
  'stroke-linecap': 'round',
};

/** For `background-image`, over a background colour. */
export function patternImage(pattern: number): string {
  const stroke = Object.entries(STROKE)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ');
  const tile = `<svg xmlns="http://www.w3.org/2000/svg" width="${TILE}" height="${TILE}"><path d="${pathOf(pattern)}" ${stroke}/></svg>`;
  return `url("data:image/svg+xml,${encodeURIComponent(tile)}")`;
}

/** The same tile over `color` as a paint server for strokes, to be used by its id. */
export function addPatternPaint(defs: SVGElement, id: string, pattern: number, color: string): SVGElement {
  const size = `${TILE}`;
  const tile = addSvg(defs, 'pattern', {
    id,
    width: size,
    height: size,
    patternUnits: 'userSpaceOnUse',
    patternTransform: 'scale(0.55)',
  });
  addSvg(tile, 'rect', { width: size, height: size, fill: color, stroke: 'none' });
  addSvg(tile, 'path', { d: pathOf(pattern), ...STROKE });
  return tile;
}

function pathOf(pattern: number): string {
  return PATHS[pattern % PATHS.length] ?? '';
}
