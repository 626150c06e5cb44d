import { directionOfText } from '../../locales/i18n.ts';
import { type Fill, PATTERNS, TILE } from '../fill.ts';
import type { Theme } from '../themes.ts';
import { type Canvas2D, type Image, traceBox } from './canvas.ts';
import type { Drawn } from './film.ts';
import type { Align, Place, Shape } from './part.ts';
import { baselineIn, figurePieces, type TypeSetter } from './type-setter.ts';

const STRIPE = 9;
export const SHADOW = { color: '#00000066', blur: 34, y: 10 };
/** Shadow of a text without a plate. */
const OUTLINE_SHADOW = { blur: 10, y: 2 };
/** Width of the outline of a color. */
const EDGE = 3;
const PATTERN_STROKE = { color: 'rgba(0,0,0,.5)', width: 3.4 };
const TOP = -Math.PI / 2;
/** Marks that would reach over other rows, in texts from before there was a limit. */
const PILE = /\p{M}{9}/u;
const PULSE = { reach: 5, width: 7 };
const AWAY_GROUND = '#11141ccc';

export interface Brush {
  readonly type: TypeSetter;
  readonly theme: Theme;
  readonly isRtl: boolean;
  /** Device pixels of a unit. Shadows do not scale with the canvas. */
  readonly unitPx: number;
  /** Draws a box with its shadow in less time; by default the canvas blurs it each time. */
  readonly shadow?:
    | ((context: Canvas2D, box: Box, radius: number, color: string, unitPx: number) => void)
    | undefined;
  readonly faces?: Faces | undefined;
}

/**
 * Finds the picture of an answer in the size of its box, in pixels, over the color that shows
 * through it; undefined while there is none.
 */
export type Faces = (path: string, width: number, height: number, color: string) => Image | undefined;

/** Draws the parts of a picture. The context is scaled to units. */
export function paint(context: Canvas2D, parts: readonly Drawn[], brush: Brush): void {
  for (const { part, at } of parts) {
    context.save();
    context.globalAlpha = at.alpha;
    if (at.scale !== 1) {
      const [x, y] = part.pivot ?? [at.x + at.width / 2, at.y + at.height / 2];
      context.translate(x, y);
      context.scale(at.scale, at.scale);
      context.translate(-x, -y);
    }
    paintShape(context, part.shape, at, brush);
    context.restore();
  }
}

type ShapeOf<K extends Shape['kind']> = Extract<Shape, { readonly kind: K }>;
type Painter<K extends Shape['kind']> = (
  context: Canvas2D,
  shape: ShapeOf<K>,
  at: Place,
  brush: Brush,
) => void;

const painters: { readonly [K in Shape['kind']]: Painter<K> } = {
  plate: paintPlate,
  box: paintBox,
  bar: paintBar,
  column: paintColumn,
  track: paintTrack,
  pill: paintPill,
  ring: paintRing,
  text: paintText,
  figure: paintFigure,
  image: (context, { image }, { x, y, width, height }) => image.draw(context, x, y, width, height),
  face: paintFace,
  away: paintAway,
  code: paintCode,
  sweep: paintSweep,
  pulse: paintPulse,
};

function paintShape<K extends Shape['kind']>(
  context: Canvas2D,
  shape: ShapeOf<K>,
  at: Place,
  brush: Brush,
): void {
  (painters[shape.kind as K] as Painter<K>)(context, shape, at, brush);
}

type Box = readonly [x: number, y: number, width: number, height: number];

function paintPlate(
  context: Canvas2D,
  { color, edge, radius, hasShadow }: ShapeOf<'plate'>,
  { x, y, width, height }: Place,
  { unitPx, shadow }: Brush,
): void {
  const box = [x, y, width, height] as const;
  if (hasShadow && shadow) shadow(context, box, radius, color, unitPx);
  else {
    context.save();
    if (hasShadow) castShadow(context, unitPx);
    traceBox(context, box, radius);
    context.fillStyle = color;
    context.fill();
    context.restore();
  }
  strokeBox(context, [x + 0.75, y + 0.75, width - 1.5, height - 1.5], radius - 0.75, edge, 1.5);
}

function paintBox(
  context: Canvas2D,
  { fill, radius, edge }: ShapeOf<'box'>,
  { x, y, width, height }: Place,
): void {
  if (width <= 0 || height <= 0) return;
  fillBox(context, [x, y, width, height], radius, fill);
  if (edge) strokeBox(context, [x, y, width, height], radius, edge, 3);
}

/** Sets the shadow of a panel for what is drawn next. */
export function castShadow(context: Canvas2D, unitPx: number): void {
  context.shadowColor = SHADOW.color;
  context.shadowBlur = SHADOW.blur * unitPx;
  context.shadowOffsetY = SHADOW.y * unitPx;
}

function strokeBox(context: Canvas2D, box: Box, radius: number, color: string, width: number): void {
  traceBox(context, box, radius);
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

function fillBox(context: Canvas2D, box: Box, radius: number, { color, pattern, edge }: Fill): void {
  traceBox(context, box, radius);
  context.fillStyle = color;
  context.fill();
  if (pattern !== undefined) paintPattern(context, pattern, box);
  if (edge !== undefined) edgeBox(context, box, radius, edge);
}

/** Within the box. */
function edgeBox(context: Canvas2D, [x, y, width, height]: Box, radius: number, color: string): void {
  const half = EDGE / 2;
  strokeBox(context, [x + half, y + half, width - EDGE, height - EDGE], radius - half, color, EDGE);
}

/** Draws a pattern over the box that is traced. */
function paintPattern(context: Canvas2D, pattern: number, [x, y, width, height]: Box): void {
  context.save();
  context.clip();
  context.translate(x, y);
  context.strokeStyle = PATTERN_STROKE.color;
  context.lineWidth = PATTERN_STROKE.width;
  context.lineCap = 'round';
  context.beginPath();
  for (let left = 0; left < width; left += TILE)
    for (let top = 0; top < height; top += TILE)
      for (const [x1, y1, x2, y2] of PATTERNS[pattern] ?? []) {
        context.moveTo(left + x1, top + y1);
        context.lineTo(left + x2, top + y2);
      }
  context.stroke();
  context.restore();
}

/** The filled part moves behind the rounded ends of its track. */
function paintBar(
  context: Canvas2D,
  { fill, radius }: ShapeOf<'bar'>,
  { x, y, width, height, value }: Place,
  { isRtl }: Brush,
): void {
  if (value === 0) return;
  const fromEnd = value < 0 !== isRtl;
  const filled = Math.min(1, Math.abs(value)) * width;
  const left = fromEnd ? x + width - filled : x;
  if (filled >= 2 * radius) {
    fillBox(context, [left, y, filled, height], radius, fill);
    return;
  }
  // Less than its own rounded ends: it is cut off by those of the track.
  traceBox(context, [x, y, width, height], radius);
  context.clip();
  fillBox(context, [fromEnd ? x + width - filled : x + filled - width, y, width, height], radius, fill);
}

function paintColumn(
  context: Canvas2D,
  { fill, radius }: ShapeOf<'column'>,
  { x, y, width, height, value }: Place,
): void {
  const tall = height * Math.max(0, Math.min(1, value));
  if (tall <= 0) return;
  context.beginPath();
  context.rect(x, y + height - tall, width, tall);
  context.clip();
  fillBox(context, [x, y + height - tall, width, tall + radius], Math.min(radius, tall), fill);
}

function paintTrack(
  context: Canvas2D,
  { color, radius, isStriped }: ShapeOf<'track'>,
  { x, y, width, height }: Place,
): void {
  traceBox(context, [x, y, width, height], radius);
  if (!isStriped) {
    context.fillStyle = color;
    context.fill();
    return;
  }
  context.clip();
  context.lineWidth = STRIPE;
  context.strokeStyle = color;
  context.beginPath();
  for (let from = x - height; from < x + width; from += 2 * STRIPE * Math.SQRT2) {
    context.moveTo(from, y + height);
    context.lineTo(from + height, y);
  }
  context.stroke();
}

/** Sizes within a pill, in units. */
export const PILL = { height: 46, inset: 20, dot: 13, lock: 26, gap: 11 };

function paintPill(context: Canvas2D, shape: ShapeOf<'pill'>, at: Place, brush: Brush): void {
  const { ground, edge, ink, radius, mark } = shape;
  const { x, y, width, height } = at;
  const box = [x, y, width, height] as const;
  if (ground !== '') fillBox(context, box, radius, { color: ground, pattern: undefined });
  if (edge !== '') strokeBox(context, box, radius, edge, 3);
  const taken = mark === 'none' ? 0 : PILL[mark] + PILL.gap;
  const start = PILL.inset + taken;
  const lines = [shape.text];
  const text = {
    kind: 'text',
    lines,
    font: shape.font,
    lineHeight: height,
    color: ink,
    align: 'start',
  } as const;
  const left = brush.isRtl ? x + PILL.inset : x + start;
  paintText(
    context,
    { ...text, isPlain: ground !== '' },
    { ...at, x: left, width: width - start - PILL.inset },
    brush,
  );
  if (mark === 'none') return;
  const size = PILL[mark];
  const markLeft = brush.isRtl ? x + width - PILL.inset - size : x + PILL.inset;
  if (mark === 'lock') paintLock(context, ink, markLeft, y + (height - size) / 2 - 1, size);
  else
    fillBox(context, [markLeft, y + (height - size) / 2, size, size], size / 2, {
      color: ink,
      pattern: undefined,
    });
}

function paintRing(
  context: Canvas2D,
  { fill, thickness, seam }: ShapeOf<'ring'>,
  { x, y, width, value, start }: Place,
): void {
  if (value <= 0) return;
  const outer = width / 2;
  const centerX = x + width / 2;
  const centerY = y + width / 2;
  const inner = outer - thickness;
  // The seam has the same width at the inner and the outer edge, so it stays a line.
  const cut = value >= 1 ? 0 : Math.min(seam / 2, (value * Math.PI * outer) / 2);
  const from = TOP + start * 2 * Math.PI;
  const to = TOP + (start + Math.min(1, value)) * 2 * Math.PI;
  const outerCut = cut / outer;
  const innerCut = Math.min(cut / inner, (to - from) / 2);
  context.beginPath();
  context.arc(centerX, centerY, outer, from + outerCut, to - outerCut);
  context.arc(centerX, centerY, inner, to - innerCut, from + innerCut, true);
  context.closePath();
  context.fillStyle = fill.color;
  context.fill();
  if (fill.edge !== undefined) {
    context.strokeStyle = fill.edge;
    context.lineWidth = EDGE;
    context.stroke();
  }
  if (fill.pattern !== undefined) paintPattern(context, fill.pattern, [x, y, width, width]);
}

function paintFace(
  context: Canvas2D,
  { path, size, color, edge, radius }: ShapeOf<'face'>,
  { x, y, width, height }: Place,
  { unitPx, faces }: Brush,
): void {
  const box = [x, y, width, height] as const;
  const [wide, high] = size.map(length => Math.round(length * unitPx)) as [number, number];
  const image = path === undefined ? undefined : faces?.(path, wide, high, color);
  if (!image) fillBox(context, box, radius, { color, pattern: undefined });
  else {
    context.save();
    traceBox(context, box, radius);
    context.clip();
    image.draw(context, x, y, width, height);
    context.restore();
  }
  if (edge !== undefined) edgeBox(context, box, radius, edge);
}

interface Ink {
  readonly color: string;
  readonly align: Align;
  readonly isPlain?: boolean;
}

function paintText(context: Canvas2D, shape: ShapeOf<'text'>, { x, y, width }: Place, brush: Brush): void {
  const { lines, font, lineHeight } = shape;
  context.font = `${font.weight} ${font.size}px ${brush.type.families}`;
  if (lines.some(line => PILE.test(line))) {
    context.beginPath();
    context.rect(x - width, y, 3 * width, lines.length * lineHeight);
    context.clip();
  }
  // The whole text decides: a line may begin with a word of another script.
  context.direction = directionIn(lines.join(' '));
  for (const [at, line] of lines.entries()) {
    write(
      context,
      line,
      alignIn(context, shape.align, x, width, brush),
      y + at * lineHeight + baselineIn(lineHeight, font.size),
      shape,
      brush,
    );
  }
}

const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/;

/** Without a letter, as in an address, a code or a number with its sign, a text has the direction of its digits. */
function directionIn(text: string): 'ltr' | 'rtl' {
  return directionOfText(text) ?? (ARABIC_DIGIT.test(text) ? 'rtl' : 'ltr');
}

/** Aligns what is written next. @returns where to write it, in a box */
function alignIn(context: Canvas2D, align: Align, x: number, width: number, { isRtl }: Brush): number {
  const side = sideOf(align, isRtl);
  context.textAlign = side;
  return x + { left: 0, center: width / 2, right: width }[side];
}

function sideOf(align: Align, isRtl: boolean): 'left' | 'center' | 'right' {
  if (align === 'center') return 'center';
  return (align === 'start') === isRtl ? 'right' : 'left';
}

function write(
  context: Canvas2D,
  text: string,
  x: number,
  y: number,
  ink: Ink,
  { theme, unitPx }: Brush,
): void {
  if (theme.strokewidth > 0 && !ink.isPlain) {
    context.save();
    context.lineWidth = theme.strokewidth * 2;
    context.lineJoin = 'round';
    context.strokeStyle = theme.stroke;
    context.shadowColor = theme.stroke;
    context.shadowBlur = OUTLINE_SHADOW.blur * unitPx;
    context.shadowOffsetY = OUTLINE_SHADOW.y * unitPx;
    context.strokeText(text, x, y);
    context.restore();
  }
  context.fillStyle = ink.color;
  context.fillText(text, x, y);
}

/** Digits have equal advance, so that a figure does not tremble while it runs up. */
function paintFigure(
  context: Canvas2D,
  shape: ShapeOf<'figure'>,
  { x, y, width, height, value }: Place,
  brush: Brush,
): void {
  const { font, align } = shape;
  const text = shape.format(value);
  const baseline = y + baselineIn(height, font.size);
  context.font = `${font.weight} ${font.size}px ${brush.type.families}`;
  if (directionIn(text) === 'rtl') {
    context.direction = 'rtl';
    write(context, text, alignIn(context, align, x, width, brush), baseline, shape, brush);
    return;
  }
  context.direction = 'ltr';
  const taken = brush.type.figureWidth(text, font);
  let left = x + { left: 0, center: (width - taken) / 2, right: width - taken }[sideOf(align, brush.isRtl)];
  context.textAlign = 'center';
  for (const piece of figurePieces(text)) {
    const advance = brush.type.advance(piece, font);
    write(context, piece, left + advance / 2, baseline, shape, brush);
    left += advance;
  }
}

function paintLock(context: Canvas2D, color: string, x: number, y: number, size: number): void {
  const unit = size / 24;
  context.translate(x, y);
  context.scale(unit, unit);
  context.strokeStyle = color;
  context.lineWidth = 2.6;
  context.lineJoin = 'round';
  context.lineCap = 'round';
  context.beginPath();
  context.moveTo(7, 11);
  context.lineTo(7, 7);
  context.arc(12, 7, 5, Math.PI, 0);
  context.lineTo(17, 11);
  context.stroke();
  traceBox(context, [5, 11, 14, 10], 2);
  context.fillStyle = color;
  context.fill();
  context.stroke();
}

/** Waves that are crossed out, on a dark ground that no video hides. */
function paintAway(context: Canvas2D, { color }: ShapeOf<'away'>, { x, y, width, height }: Place): void {
  fillBox(context, [x, y, width, height], 10, { color: AWAY_GROUND, pattern: undefined });
  context.translate(x, y);
  context.scale(width / 24, height / 24);
  context.strokeStyle = color;
  context.lineWidth = 2;
  context.lineCap = 'round';
  for (const radius of [4, 8]) {
    context.beginPath();
    context.arc(12, 17, radius, (-3 * Math.PI) / 4, -Math.PI / 4);
    context.stroke();
  }
  context.beginPath();
  context.moveTo(6, 5);
  context.lineTo(18, 19);
  context.stroke();
}

function paintCode(context: Canvas2D, { dark, modules }: ShapeOf<'code'>, { x, y, width }: Place): void {
  const module = width / modules;
  context.fillStyle = '#000000';
  for (const [column, row, length] of dark)
    context.fillRect(x + column * module, y + row * module, length * module, module);
}

function paintSweep(
  context: Canvas2D,
  { radius }: ShapeOf<'sweep'>,
  { x, y, width, height, value }: Place,
): void {
  if (value <= 0 || value >= 1) return;
  const band = Math.max(height, width * 0.25);
  const left = x - band + (width + band) * value;
  const light = context.createLinearGradient(left, 0, left + band, 0);
  light.addColorStop(0, 'rgba(255,255,255,0)');
  light.addColorStop(0.5, 'rgba(255,255,255,.55)');
  light.addColorStop(1, 'rgba(255,255,255,0)');
  traceBox(context, [x, y, width, height], radius);
  context.clip();
  context.fillStyle = light;
  context.fillRect(x, y, width, height);
}

function paintPulse(
  context: Canvas2D,
  { color, radius }: ShapeOf<'pulse'>,
  { x, y, width, height, alpha, value }: Place,
): void {
  if (value <= 0 || value >= 1) return;
  const strength = Math.sin(Math.PI * value);
  const air = PULSE.reach * value;
  context.globalAlpha = alpha * strength;
  const box = [x - air, y - air, width + 2 * air, height + 2 * air] as const;
  strokeBox(context, box, radius + air, color, PULSE.width * strength);
}
