import * as canvas from '@napi-rs/canvas';
import type { Bounds, Canvas2D } from '../../src/picture/draw/canvas.ts';
import { type Drawn, Film, STILL } from '../../src/picture/draw/film.ts';
import { type Laid, layOut } from '../../src/picture/draw/lay-out.ts';
import type { Look, VoteCode } from '../../src/picture/draw/look.ts';
import { paint } from '../../src/picture/draw/paint.ts';
import type { Part } from '../../src/picture/draw/part.ts';
import { baselineIn, TypeSetter } from '../../src/picture/draw/type-setter.ts';
import { readParameters } from '../../src/picture/parameters.ts';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import { isTall } from '../../src/picture/text.ts';
import { OverlayWording } from '../../src/picture/wording.ts';
import { FAMILIES, registerFonts } from '../../src/still/fonts.ts';

/** The drawing of overlays and stills, in Node. */

registerFonts(canvas);

export const type = new TypeSetter(
  canvas.createCanvas(1, 1).getContext('2d') as unknown as Canvas2D,
  FAMILIES,
);

export type Size = readonly [width: number, height: number];

export const HD: Size = [1920, 1080];
/** Server time of all drawings. */
export const NOW_MS = 1_800_000_000_000;

export const CODE: VoteCode = {
  address: 'https://vote.example.org/show/friday-night',
  modules: 37,
  dark: [
    [4, 4, 7],
    [26, 4, 7],
    [4, 26, 7],
    [12, 18, 13],
  ],
};

const wordings = new Map<string, OverlayWording>();

/** Its formatters of numbers are expensive to create. */
function wordingOf(...given: ConstructorParameters<typeof OverlayWording>): OverlayWording {
  const known = wordings.get(given.join()) ?? new OverlayWording(...given);
  wordings.set(given.join(), known);
  return known;
}

/** @param query settings, as an overlay's address has them */
export function lookOf(query: string, [width, height]: Size, changes: Partial<Look> = {}): Look {
  const { settings, invalid } = readParameters(new URLSearchParams(query));
  if (invalid.length > 0) throw new Error(`no such setting: ${invalid.join()}`);
  return {
    settings,
    wording: wordingOf(settings.lang ?? 'en', settings.decimals),
    type,
    width,
    height,
    logo: undefined,
    ground: undefined,
    code: CODE,
    isCodePermanent: false,
    around: { away: false },
    turn: 0,
    ...changes,
  };
}

export function draw(poll: PollSnapshot, query: string, size: Size = HD, nowMs = NOW_MS): Laid {
  return layOut(poll, lookOf(query, size), nowMs);
}

/** The parts of a picture at rest, from back to front. */
export function atRest({ parts }: Laid): Drawn[] {
  const film = new Film();
  film.show(parts, 0, STILL);
  return film.at(0);
}

/** What can be read in a part. */
export function wordsIn({ part: { shape }, at }: Drawn): string {
  if (shape.kind === 'text') return shape.lines.join(' ');
  if (shape.kind === 'pill') return `${shape.text} ${shape.time}`.trim();
  return shape.kind === 'figure' ? shape.format(at.value) : '';
}

export function wordsOf(laid: Laid): string[] {
  return atRest(laid)
    .map(wordsIn)
    .filter(words => words !== '');
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function edgesOf({ x, y, width, height }: Bounds): Box {
  return { left: x, top: y, right: x + width, bottom: y + height };
}

/** Where a part is drawn, in units. */
export function boxOf(part: Pick<Part, 'at'>, at = part.at): Box {
  return scaled(edgesOf(at), at);
}

function scaled({ left, top, right, bottom }: Box, at: Part['at']): Box {
  const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
  const { scale } = at;
  return {
    left: x + (left - x) * scale,
    top: y + (top - y) * scale,
    right: x + (right - x) * scale,
    bottom: y + (bottom - y) * scale,
  };
}

/** From the baseline, in em: capitals and descenders of Latin letters, and the marks of taller scripts. */
const LATIN = { above: 0.75, below: 0.22 };
const TALL = { above: 0.95, below: 0.4 };

/** The boxes of the letters in a text or figure: one for each line. */
export function lettersOf(part: Part, isRtl: boolean): Box[] {
  const { shape, at } = part;
  if (shape.kind !== 'text' && shape.kind !== 'figure') return [];
  const lines = shape.kind === 'text' ? shape.lines : [shape.format(at.value)];
  const lineHeight = shape.kind === 'text' && lines.length > 1 ? shape.lineHeight : at.height;
  const side = shape.align === 'center' ? 0.5 : (shape.align === 'start') === isRtl ? 1 : 0;
  return lines.map((line, index) => {
    const width = shape.kind === 'text' ? type.width(line, shape.font) : type.figureWidth(line, shape.font);
    const left = at.x + (at.width - width) * side;
    const baseline = at.y + index * lineHeight + baselineIn(lineHeight, shape.font.size);
    const { above, below } = isTall(line) ? TALL : LATIN;
    const [top, bottom] = [baseline - above * shape.font.size, baseline + below * shape.font.size];
    return scaled({ left, top, right: left + width, bottom }, at);
  });
}

/** Fractions of a pixel are not seen. In units. */
export const SLACK = 2;
/** How much of their height two lines may share: the air above and below most letters, and the marks of a few. */
const SHARED_AIR = 0.25;

export function overlap(one: Box, other: Box): boolean {
  const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  const lower = Math.min(one.bottom - one.top, other.bottom - other.top);
  return across > SLACK && down > SHARED_AIR * lower;
}

export function overlapsIn<T extends { readonly box: Box }>(all: readonly T[]): [one: T, other: T][] {
  const found: [T, T][] = [];
  for (const [at, one] of all.entries())
    for (const other of all.slice(at + 1)) if (overlap(one.box, other.box)) found.push([one, other]);
  return found;
}

export function isWithin(box: Box, room: Box, slack = SLACK): boolean {
  return (
    box.left >= room.left - slack &&
    box.top >= room.top - slack &&
    box.right <= room.right + slack &&
    box.bottom <= room.bottom + slack
  );
}

/** The whole picture, in units. */
export function screenOf({ unitPx }: Pick<Laid, 'unitPx'>, [width, height]: Size): Box {
  return { left: 0, top: 0, right: width / unitPx, bottom: height / unitPx };
}

/** The picture without its usual margins. */
export function safeAreaOf(laid: Pick<Laid, 'unitPx'>, size: Size): Box {
  const { right, bottom } = screenOf(laid, size);
  return { left: 0.05 * right, top: 0.05 * bottom, right: 0.95 * right, bottom: 0.95 * bottom };
}

export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** Draws parts over a ground. @param ground a CSS color */
export function pixelsOf(
  parts: readonly Drawn[],
  { unitPx }: Pick<Laid, 'unitPx'>,
  [width, height]: Size,
  ground: string,
): Pixels {
  const drawn = canvas.createCanvas(width, height);
  const context = drawn.getContext('2d');
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
  context.scale(unitPx, unitPx);
  paint(context as unknown as Canvas2D, parts, { type, unitPx });
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}
