import { directionOfText } from '../../locales/i18n.ts';
import type { Fill } from '../fill.ts';
import type { Size } from '../logo-size.ts';
import type { Theme } from '../themes.ts';
import { type Bounds, type Canvas2D, traceBox } from './canvas.ts';
import { coverOf } from './cover.ts';
import type { Drawn } from './film.ts';
import type { Align, Box, Ink, Shape } from './part.ts';
import { baselineIn, type Font, figurePieces, type TypeSetter } from './type-setter.ts';

const STRIPE = 9;
export const SHADOW = { color: '#00000066', blur: 34, y: 10 };
/** Shadow of a text without a plate. */
const OUTLINE_SHADOW = { blur: 10, y: 2 };
/** Width of the outline of a color. */
const EDGE = 3;
const TOP = -Math.PI / 2;
/** How far a scrim fades, in units. */
const FADE = 36;
/** Large figures at rest, in em: how much closer their digits are, and the air beside the first one. */
const TIGHT = { above: 46, closer: 0.025, bearing: 0.04 };
/** Marks that would reach over other rows, in texts from before there was a limit. */
const PILE = /\p{M}{9}/u;
const AWAY_GROUND = '#11141ccc';
/** Sizes within a pill, in units. */
export const PILL = { height: 58, inset: 20, dot: 13, lock: 26, gap: 11, drain: 6 };

/** What the mark of a pill takes before its text, with the gap after it. */
export function markRoom(mark: ShapeOf<'pill'>['mark']): number {
  return mark === 'none' ? 0 : PILL[mark] + PILL.gap;
}

export interface Brush {
  readonly type: TypeSetter;
  /** Device pixels of a unit. Shadows do not scale with the canvas. */
  readonly unitPx: number;
  /** Draws a box with its shadow in less time; by default the canvas blurs it each time. */
  readonly shadow?: ((context: Canvas2D, at: Bounds, box: ShadowedBox) => void) | undefined;
  readonly faces?: Faces | undefined;
}

export interface ShadowedBox {
  readonly radius: number;
  readonly color: string;
  readonly unitPx: number;
}

/** The picture of an answer, over the color that shows through it. */
export interface Face extends Size {
  draw(context: Canvas2D, ...sourceAndBox: readonly [...Sides, ...Sides]): void;
}

type Sides = readonly [left: number, top: number, width: number, height: number];

/** Returns a picture that covers a box of this size in pixels, or undefined until it has come. */
export type Faces = (path: string, width: number, height: number, color: string) => Face | undefined;

/** Draws the parts of a picture. The context is scaled to units. */
export function paint(context: Canvas2D, parts: readonly Drawn[], brush: Brush): void {
  const painter = new Painter(context, brush);
  for (const { part, at, clip } of parts) {
    context.save();
    painter.isRtl = part.isRtl === true;
    painter.theme = part.theme;
    context.globalAlpha = at.alpha;
    if (clip) {
      context.beginPath();
      context.rect(clip.x, clip.y, clip.width, clip.height);
      context.clip();
    }
    if (at.scale !== 1) {
      const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
      context.translate(x, y);
      context.scale(at.scale, at.scale);
      context.translate(-x, -y);
    }
    painter.isCounting = at.value !== part.at.value;
    paintShape(painter, part.shape, at);
    context.restore();
  }
}

type ShapeOf<K extends Shape['kind']> = Extract<Shape, { readonly kind: K }>;
type Painters = { readonly [K in Shape['kind']]: (shape: ShapeOf<K>, at: Box) => void };

function paintShape<K extends Shape['kind']>(painters: Painters, shape: ShapeOf<K>, at: Box): void {
  const paintOne: Painters[K] = painters[shape.kind as K];
  paintOne.call(painters, shape, at);
}

/** Sets the shadow of a panel for what is drawn next. */
export function castShadow(context: Canvas2D, unitPx: number): void {
  context.shadowColor = SHADOW.color;
  context.shadowBlur = SHADOW.blur * unitPx;
  context.shadowOffsetY = SHADOW.y * unitPx;
}

/** A method for each kind of shape. */
class Painter implements Painters {
  /** Whether lines of the part that is drawn begin on the right. */
  isRtl = false;
  theme: Theme | undefined;
  /** Whether its figure runs up. */
  isCounting = false;
  readonly #context: Canvas2D;
  readonly #brush: Brush;

  constructor(context: Canvas2D, brush: Brush) {
    this.#context = context;
    this.#brush = brush;
  }

  plate({ color, edge, accent, radius, rim }: ShapeOf<'plate'>, at: Box): void {
    if (rim === 'soft') this.#scrim(at, color);
    else if (rim === 'shadow' && at.width > 2 * radius) this.#shadowed(at, radius, color);
    else this.#fill(at, radius, { color });
    if (at.width > 2 * EDGE) this.#stroke(inset(at, 0.75), radius - 0.75, edge, 1.5);
    if (at.value === 0) return;
    this.#context.globalAlpha = at.value;
    this.#edge({ ...at, width: Math.max(at.width, 2 * EDGE) }, radius, accent);
  }

  card({ color, edge, radius }: ShapeOf<'card'>, at: Box): void {
    if (at.value === 0) {
      this.#fill(at, radius, { color });
      return;
    }
    this.#shadowed(at, radius, color);
    this.#edge(at, radius, edge);
  }

  #shadowed(at: Box, radius: number, color: string): void {
    const { unitPx, shadow } = this.#brush;
    if (shadow) {
      shadow(this.#context, at, { radius, color, unitPx });
      return;
    }
    this.#context.save();
    castShadow(this.#context, unitPx);
    this.#fill(at, radius, { color });
    this.#context.restore();
  }

  /** Fades around its box. Its pieces meet on whole pixels, without a seam. */
  #scrim(at: Bounds, color: string): void {
    const context = this.#context;
    const { unitPx } = this.#brush;
    const clear = `${color.slice(0, 7)}00`;
    /** Begin and end of each piece, and where that is as dark as the middle. */
    const pieces = (start: number, length: number) => {
      const whole = (value: number) => Math.round(value * unitPx) / unitPx;
      const [from, to] = [whole(start), whole(start + length)];
      return [
        [from - FADE, from, from] as const,
        [from, to, undefined] as const,
        [to, to + FADE, to] as const,
      ];
    };
    for (const [left, right, x] of at.width > 0 ? pieces(at.x, at.width) : [])
      for (const [top, bottom, y] of pieces(at.y, at.height)) {
        const isCorner = x !== undefined && y !== undefined;
        const fade = isCorner
          ? context.createRadialGradient(x, y, 0, x, y, FADE)
          : context.createLinearGradient(
              x ?? 0,
              y ?? 0,
              x === undefined ? 0 : left + right - x,
              y === undefined ? 0 : top + bottom - y,
            );
        fade.addColorStop(0, color);
        fade.addColorStop(1, clear);
        context.fillStyle = x === undefined && y === undefined ? color : fade;
        context.fillRect(left, top, right - left, bottom - top);
      }
  }

  box({ fill, radius, edge }: ShapeOf<'box'>, at: Box): void {
    if (at.width <= 0 || at.height <= 0) return;
    this.#fill(at, radius, fill);
    if (edge) this.#stroke(at, radius, edge, EDGE);
  }

  bar({ fill, radius, gap }: ShapeOf<'bar'>, at: Box): void {
    const { x, width, value } = at;
    if (value === 0) return;
    const fromEnd = value < 0 !== this.isRtl;
    const filled = Math.min(1, Math.abs(value)) * width;
    const isFlat = gap !== undefined;
    if (!isFlat && filled >= 2 * radius) {
      this.#fill({ ...at, x: fromEnd ? x + width - filled : x, width: filled }, radius, fill);
      return;
    }
    // Cut off by the rounded ends of the track, behind which it moves while it is shorter than they are.
    traceBox(this.#context, at, radius);
    this.#context.clip();
    const shown = filled < width ? Math.max(0, filled - (gap ?? 0)) : width;
    const own = isFlat
      ? { ...at, x: fromEnd ? x + width - shown : x, width: shown }
      : { ...at, x: fromEnd ? x + width - filled : x + filled - width };
    this.#fill(own, isFlat ? 0 : radius, fill);
  }

  column({ fill, radius }: ShapeOf<'column'>, at: Box): void {
    const { x, width, height, value } = at;
    const tall = height * Math.max(0, Math.min(1, value));
    if (tall <= 0) return;
    const y = at.y + height - tall;
    this.#context.beginPath();
    this.#context.rect(x, y, width, tall);
    this.#context.clip();
    this.#fill({ x, y, width, height: tall + radius }, Math.min(radius, tall), fill);
  }

  track({ color, radius, isStriped }: ShapeOf<'track'>, at: Box): void {
    if (!isStriped) {
      this.#fill(at, radius, { color });
      return;
    }
    const { x, y, width, height } = at;
    const context = this.#context;
    traceBox(context, at, radius);
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

  pill(shape: ShapeOf<'pill'>, at: Box): void {
    const { text, time, font, timeFont, ground, edge, ink: color, radius, mark } = shape;
    const { isRtl } = this;
    const { x, y, width, height, value } = at;
    if (ground !== '') this.#fill(at, radius, { color: ground });
    if (edge !== '') this.#stroke(inset(at, EDGE / 2), radius, edge, EDGE);
    const start = PILL.inset + markRoom(mark);
    const textBox = { ...at, x: isRtl ? x + PILL.inset : x + start, width: width - start - PILL.inset };
    const written = { color, isPlain: ground !== '' };
    const word = {
      ...written,
      kind: 'text',
      lines: [text],
      font,
      lineHeight: height,
      align: 'start',
    } as const;
    this.text(word, textBox);
    if (time !== '')
      this.figure({ ...written, kind: 'figure', font: timeFont, align: 'end', format: () => time }, textBox);
    if (value > 0) {
      const left = (width - 2 * radius) * value;
      const drain = { ...at, y: y + height - 2 * PILL.drain, width: left, height: PILL.drain };
      this.#fill({ ...drain, x: isRtl ? x + width - radius - left : x + radius }, PILL.drain / 2, { color });
    }
    if (mark === 'none') return;
    const size = PILL[mark];
    const left = isRtl ? x + width - PILL.inset - size : x + PILL.inset;
    const top = y + (height - size) / 2;
    if (mark === 'lock') this.#lock(color, left, top - 1, size);
    else this.#fill({ x: left, y: top, width: size, height: size }, size / 2, { color });
  }

  ring({ fill, thickness, seam }: ShapeOf<'ring'>, { x, y, width, value, start }: Box): void {
    if (value <= 0) return;
    const context = this.#context;
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
  }

  text({ lines, font, align, ...ink }: ShapeOf<'text'>, { x, y, width, height }: Box): void {
    const context = this.#context;
    // One line has the height of its box, which may move.
    const lineHeight = lines.length === 1 ? height : ink.lineHeight;
    this.#setFont(font);
    if (lines.some(line => PILE.test(line))) {
      context.beginPath();
      context.rect(x - width, y, 3 * width, lines.length * lineHeight);
      context.clip();
    }
    // The whole text decides: a line may begin with a word of another script.
    context.direction = directionIn(lines.join(' '));
    const left = this.#align(align, x, width);
    const baseline = y + baselineIn(lineHeight, font.size);
    for (const [at, line] of lines.entries()) this.#write(line, left, baseline + at * lineHeight, ink);
  }

  /** Digits have equal advance, so that a figure does not tremble while it runs up. Large ones are tight at rest. */
  figure({ font, align, format, ...ink }: ShapeOf<'figure'>, { x, y, width, height, value }: Box): void {
    const { type } = this.#brush;
    const { isRtl } = this;
    const text = format(value);
    const baseline = y + baselineIn(height, font.size);
    this.#setFont(font);
    this.#context.direction = directionIn(text);
    if (directionIn(text) === 'rtl') {
      this.#write(text, this.#align(align, x, width), baseline, ink);
      return;
    }
    const isTight = font.size > TIGHT.above && !this.isCounting;
    const advanceOf = (piece: string) =>
      isTight ? type.width(piece, font) - TIGHT.closer * font.size : type.advance(piece, font);
    const pieces = figurePieces(text);
    const free = width - pieces.reduce((sum, piece) => sum + advanceOf(piece), 0);
    const bearing = isTight ? TIGHT.bearing * font.size : 0;
    let left = x + { left: -bearing, center: free / 2, right: free + bearing }[sideOf(align, isRtl)];
    this.#context.textAlign = 'center';
    for (const piece of pieces) {
      const advance = advanceOf(piece);
      this.#write(piece, left + advance / 2, baseline, ink);
      left += advance;
    }
  }

  image({ image }: ShapeOf<'image'>, { x, y, width, height }: Box): void {
    image.draw(this.#context, x, y, width, height);
  }

  face({ path, focus, size, color, edge, radius }: ShapeOf<'face'>, at: Box): void {
    const { unitPx, faces } = this.#brush;
    const [wide, high] = size.map(length => Math.round(length * unitPx)) as [number, number];
    const image = path === undefined ? undefined : faces?.(path, wide, high, color);
    if (!image) this.#fill(at, radius, { color });
    else {
      this.#context.save();
      traceBox(this.#context, at, radius);
      this.#context.clip();
      image.draw(this.#context, ...coverOf(image, at, focus), at.x, at.y, at.width, at.height);
      this.#context.restore();
    }
    if (edge !== undefined) this.#edge(at, radius, edge);
  }

  /** Waves that are crossed out, on a dark ground that no video hides. */
  away({ color }: ShapeOf<'away'>, at: Box): void {
    const context = this.#context;
    this.#fill(at, 10, { color: AWAY_GROUND });
    context.translate(at.x, at.y);
    context.scale(at.width / 24, at.height / 24);
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

  code({ dark, modules }: ShapeOf<'code'>, { x, y, width }: Box): void {
    const module = width / modules;
    this.#context.fillStyle = '#000000';
    for (const [column, row, length] of dark)
      this.#context.fillRect(x + column * module, y + row * module, length * module, module);
  }

  sweep({ radius }: ShapeOf<'sweep'>, at: Box): void {
    const { x, y, width, height, value } = at;
    if (value <= 0 || value >= 1) return;
    const context = this.#context;
    const band = Math.max(height, width * 0.25);
    const left = x - band + (width + band) * value;
    const light = context.createLinearGradient(left, 0, left + band, 0);
    light.addColorStop(0, 'rgba(255,255,255,0)');
    light.addColorStop(0.5, 'rgba(255,255,255,.55)');
    light.addColorStop(1, 'rgba(255,255,255,0)');
    traceBox(context, at, radius);
    context.clip();
    context.fillStyle = light;
    context.fillRect(x, y, width, height);
  }

  #fill(at: Bounds, radius: number, { color, edge }: Fill): void {
    traceBox(this.#context, at, radius);
    this.#context.fillStyle = color;
    this.#context.fill();
    if (edge !== undefined) this.#edge(at, radius, edge);
  }

  #stroke(at: Bounds, radius: number, color: string, width: number): void {
    traceBox(this.#context, at, radius);
    this.#context.strokeStyle = color;
    this.#context.lineWidth = width;
    this.#context.stroke();
  }

  /** Within the box. */
  #edge(at: Bounds, radius: number, color: string): void {
    this.#stroke(inset(at, EDGE / 2), radius - EDGE / 2, color, EDGE);
  }

  #lock(color: string, x: number, y: number, size: number): void {
    const context = this.#context;
    context.translate(x, y);
    context.scale(size / 24, size / 24);
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
    this.#fill({ x: 5, y: 11, width: 14, height: 10 }, 2, { color });
    context.stroke();
  }

  #setFont({ size, weight }: Font): void {
    this.#context.font = `${weight} ${size}px ${this.#brush.type.families}`;
  }

  /** Aligns what is written next. @returns where to write it, in a box */
  #align(align: Align, x: number, width: number): number {
    const side = sideOf(align, this.isRtl);
    this.#context.textAlign = side;
    return x + { left: 0, center: width / 2, right: width }[side];
  }

  #write(text: string, x: number, y: number, { color, isPlain }: Ink): void {
    const context = this.#context;
    const { theme } = this;
    const { unitPx } = this.#brush;
    if (theme && theme.strokewidth > 0 && !isPlain) {
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
    context.fillStyle = color;
    context.fillText(text, x, y);
  }
}

function inset({ x, y, width, height }: Bounds, by: number): Bounds {
  return { x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by };
}

const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/;

/** Without a letter, as in an address, a code or a number with its sign, a text has the direction of its digits. */
function directionIn(text: string): 'ltr' | 'rtl' {
  return directionOfText(text) ?? (ARABIC_DIGIT.test(text) ? 'rtl' : 'ltr');
}

function sideOf(align: Align, isRtl: boolean): 'left' | 'center' | 'right' {
  if (align === 'center') return 'center';
  return (align === 'start') === isRtl ? 'right' : 'left';
}
