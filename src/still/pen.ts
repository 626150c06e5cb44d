import type { SKRSContext2D } from '@napi-rs/canvas';
import { directionOfText } from '../locales/i18n.ts';
import { type Fill, PATTERNS, TILE } from '../picture/fill.ts';
import { distinctEnd, hyphenate, lineHeightOf, splitGraphemes } from '../picture/text.ts';
import type { Theme } from '../picture/themes.ts';
import { FAMILIES } from './fonts.ts';

/** What the overlay leaves to the browser: measures, wraps, fits and writes text, and draws bars. Lengths are in units. */

export interface Font {
  readonly size: number;
  readonly weight: number;
  /** Letter spacing in em. */
  readonly tracking?: number;
}

export interface TextRoom extends Omit<Font, 'size'> {
  /** Of each text. */
  readonly width: (at: number) => number;
  readonly largest: number;
  readonly floor: number;
  /** How many lines of this size there is room for; default 1. */
  readonly lines?: (size: number) => number;
  readonly balanced?: boolean;
}

export interface FittedText {
  readonly font: Font;
  /** Lines of each text. */
  readonly lines: readonly (readonly string[])[];
  readonly lineHeight: number;
  /** Every text fits at its largest size. */
  readonly isWhole: boolean;
  readonly isCut: boolean;
  /** A word does not fit on a line at the smallest size, or there are too few lines. */
  readonly isBroken?: true;
}

export interface Ink {
  readonly color: string;
  readonly align?: 'start' | 'center' | 'end';
  /** A badge has a background, so its text needs no outline. */
  readonly isPlain?: boolean;
}

/** Loaded on first use, because it is large. */
export type CanvasModule = Pick<typeof import('@napi-rs/canvas'), 'createCanvas' | 'Path2D'>;

interface Wrapped {
  readonly lines: readonly string[];
  /** A word is wider than a line. */
  readonly isWide: boolean;
}

/** From the middle of a line to the baseline of Inter, in em. */
const BASELINE = 0.364;
const MEASURED_AT = 100;
const FIT_STEPS = 4;
const STRIPE = 9;
const WORDS = new Intl.Segmenter('en', { granularity: 'word' });
/** Scripts without spaces between words: a line may break at each letter, or at each word. */
const BY_LETTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const BY_WORD = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const OPENING = /[\p{Ps}\p{Pi}]$/u;

export function baselineIn(lineHeight: number, size: number): number {
  return lineHeight / 2 + BASELINE * size;
}

export class Pen {
  readonly context: SKRSContext2D;
  readonly theme: Theme;
  readonly isRtl: boolean;
  /** Device pixels of a unit. */
  readonly unitPx: number;
  readonly module: CanvasModule;
  readonly #widths: Map<string, number>;
  /** The box in which positions are counted from the side where lines start. */
  #box = { left: 0, width: 0 };

  constructor(
    context: SKRSContext2D,
    look: { theme: Theme; isRtl: boolean; unitPx: number },
    widths: Map<string, number>,
    module: CanvasModule,
  ) {
    this.context = context;
    this.theme = look.theme;
    this.isRtl = look.isRtl;
    this.unitPx = look.unitPx;
    this.#widths = widths;
    this.module = module;
  }

  /** Calls `draw` with positions from the start of this box. */
  within(left: number, width: number, draw: () => void): void {
    const before = this.#box;
    this.#box = { left, width };
    draw();
    this.#box = before;
  }

  /** Returns the left edge of something `width` wide that starts at `x`. */
  leftOf(x: number, width: number): number {
    return this.#box.left + (this.isRtl ? this.#box.width - x - width : x);
  }

  width(text: string, { size, weight, tracking = 0 }: Font): number {
    const key = `${weight} ${text}`;
    let width = this.#widths.get(key);
    if (width === undefined) {
      this.#setFont({ size: MEASURED_AT, weight });
      width = this.context.measureText(text).width / MEASURED_AT;
      this.#widths.set(key, width);
    }
    return size * (width + (tracking === 0 ? 0 : tracking * splitGraphemes(text).length));
  }

  #setFont({ size, weight, tracking = 0 }: Font): void {
    this.context.font = `${weight} ${size}px ${FAMILIES}`;
    this.context.fontVariantNumeric = 'tabular-nums';
    this.context.letterSpacing = `${tracking * size}px`;
  }

  /** Returns the largest size at which no text is cut, as `fitText` of the overlay. */
  fit(texts: readonly string[], room: TextRoom): FittedText {
    const { largest, floor, weight, tracking = 0, lines = () => 1 } = room;
    const lineHeight = lineHeightOf(texts);
    for (let step = 0; step <= FIT_STEPS; step++) {
      const font = { size: largest - ((largest - floor) * step) / FIT_STEPS, weight, tracking };
      const wrapped = texts.map((text, at) => this.#wrap(text, font, room.width(at)));
      if (wrapped.some(({ lines: made, isWide }) => isWide || made.length > lines(font.size))) continue;
      const balanced = room.balanced
        ? texts.map((text, at) => this.#balance(text, font, room.width(at)))
        : wrapped;
      return {
        font,
        lines: balanced.map(({ lines }) => lines),
        lineHeight,
        isWhole: step === 0,
        isCut: false,
      };
    }
    const font = { size: floor, weight, tracking };
    const most = Math.max(1, lines(floor));
    const broken = texts.map((text, at) => this.#shorten(text, texts, most, font, room.width(at)));
    const isCut = broken.some(({ isCut }) => isCut);
    const made = broken.map(({ lines }) => lines);
    return { font, lines: made, lineHeight, isWhole: false, isCut, isBroken: true };
  }

  #wrap(text: string, font: Font, width: number, breaksWords = false): Wrapped {
    const lines: string[] = [];
    let [line, taken, isWide] = ['', 0, false];
    for (const whole of partsOf(text)) {
      const tooWide = this.width(bare(whole), font) > width;
      isWide ||= tooWide;
      for (const part of tooWide && breaksWords ? splitGraphemes(whole) : [whole]) {
        const hyphen = part.endsWith('\u00ad') ? '-' : '';
        if (line !== '' && taken + this.width(bare(part) + hyphen, font) > width) {
          lines.push(closeLine(line));
          [line, taken] = ['', 0];
        }
        line += part;
        taken += this.width(part.replace('\u00ad', ''), font);
      }
    }
    if (line.trim() !== '') lines.push(closeLine(line));
    return { lines, isWide };
  }

  /** Makes the lines of a title similar in length. */
  #balance(text: string, font: Font, width: number): Wrapped {
    const best = this.#wrap(text, font, width);
    let [low, high] = [width / Math.max(1, best.lines.length), width];
    while (high - low > 4) {
      const middle = (low + high) / 2;
      const tried = this.#wrap(text, font, middle);
      if (tried.isWide || tried.lines.length > best.lines.length) low = middle;
      else high = middle;
    }
    return this.#wrap(text, font, high);
  }

  /** Breaks words where that suffices, else replaces the end by an ellipsis, or the middle where the end is what distinguishes it. */
  #shorten(text: string, texts: readonly string[], most: number, font: Font, width: number) {
    const wrap = (part: string) => this.#wrap(most > 1 ? hyphenate(part) : part, font, width, most > 1);
    const fits = (wrapped: Wrapped) => wrapped.lines.length <= most && (most > 1 || !wrapped.isWide);
    const whole = wrap(text);
    if (fits(whole)) return { ...whole, isCut: false };
    const end = distinctEnd(text, texts);
    const beginning = splitGraphemes(text.slice(0, text.length - end.length));
    const cut = (letters: number) => wrap(`${beginning.slice(0, letters).join('').trimEnd()}…${end}`);
    let [enough, tooMany] = [0, beginning.length];
    while (tooMany - enough > 1) {
      const middle = (enough + tooMany) >> 1;
      if (fits(cut(middle))) enough = middle;
      else tooMany = middle;
    }
    return { ...cut(enough), isCut: true };
  }

  /** Writes one line from `x`, or in `width` from there. */
  write(
    text: string,
    x: number,
    baseline: number,
    font: Font,
    ink: Ink,
    width = this.width(text, font),
  ): void {
    const { context, theme, unitPx } = this;
    this.#setFont(font);
    context.direction = directionOfText(text) ?? (this.isRtl ? 'rtl' : 'ltr');
    const start = this.isRtl ? 'right' : 'left';
    const side = { start, center: 'center', end: this.isRtl ? 'left' : 'right' } as const;
    context.textAlign = side[ink.align ?? 'start'];
    const left = this.leftOf(x, width);
    const at =
      left + { left: 0, center: width / 2, right: width }[context.textAlign as 'left' | 'center' | 'right'];
    if (theme.strokewidth > 0 && !ink.isPlain) {
      context.save();
      Object.assign(context, {
        lineWidth: theme.strokewidth * 2,
        lineJoin: 'round',
        strokeStyle: theme.stroke,
      });
      Object.assign(context, {
        shadowColor: theme.stroke,
        shadowBlur: 10 * unitPx,
        shadowOffsetY: 2 * unitPx,
      });
      context.strokeText(text, at, baseline);
      context.restore();
    }
    context.fillStyle = ink.color;
    context.fillText(text, at, baseline);
  }

  /** Writes the lines of text `index` below `top` and returns their height. A pile of marks stays in their row, as in `panel.css`. */
  writeLines(text: FittedText, index: number, x: number, top: number, width: number, ink: Ink): number {
    const { font, lines, lineHeight } = text;
    const height = font.size * lineHeight;
    const drawn = lines[index] ?? [];
    const air = font.size / 2;
    this.clip(x - air, top - air, width + 2 * air, drawn.length * height + 2 * air, 0, () => {
      for (const [at, line] of drawn.entries())
        this.write(line, x, top + at * height + baselineIn(height, font.size), font, ink, width);
    });
    return drawn.length * height;
  }

  box(x: number, y: number, width: number, height: number, radius: number | number[], color: string): void {
    this.context.fillStyle = color;
    this.context.beginPath();
    this.context.roundRect(this.leftOf(x, width), y, width, height, radius);
    this.context.fill();
  }

  /** Draws inside a rounded box. */
  clip(x: number, y: number, width: number, height: number, radius: number, draw: () => void): void {
    this.context.save();
    this.context.beginPath();
    this.context.roundRect(this.leftOf(x, width), y, width, height, Math.min(radius, height / 2));
    this.context.clip();
    draw();
    this.context.restore();
  }

  /** @param isBlank striped: there are no results to show */
  track(x: number, y: number, width: number, height: number, isBlank: boolean): void {
    const { context, theme } = this;
    const radius = Math.min(theme.bar, height / 2);
    if (!isBlank) this.box(x, y, width, height, radius, theme.track);
    else
      this.clip(x, y, width, height, radius, () => {
        const left = this.leftOf(x, width);
        Object.assign(context, { lineWidth: STRIPE, strokeStyle: theme.track });
        context.beginPath();
        for (let from = left - height; from < left + width; from += 2 * STRIPE * Math.SQRT2) {
          context.moveTo(from, y + height);
          context.lineTo(from + height, y);
        }
        context.stroke();
      });
  }

  /** The filled part, which moves behind the rounded ends of its track. @param part of the track, below 0 from its end */
  fill(x: number, y: number, width: number, height: number, part: number, fill: Fill, lost: boolean): void {
    const radius = Math.min(this.theme.bar, height / 2);
    this.clip(x, y, width, height, radius, () => {
      this.context.globalAlpha = lost ? 0.45 : 1;
      const shift = (1 - Math.abs(part)) * width * (part < 0 ? 1 : -1);
      if (part !== 0) this.painted(x + shift, y, width, height, radius, fill);
    });
  }

  /** A box with the colour and pattern of an answer. */
  painted(x: number, y: number, width: number, height: number, radius: number | number[], fill: Fill): void {
    this.box(x, y, width, height, radius, fill.color);
    if (fill.pattern === undefined) return;
    this.context.save();
    this.context.clip();
    this.context.translate(this.leftOf(x, width), y);
    this.context.fillStyle = this.pattern(fill.pattern);
    this.context.fillRect(0, 0, width, height);
    this.context.restore();
  }

  /** @param scale of a tile of the overlay */
  pattern(index: number, scale = 1): NonNullable<ReturnType<SKRSContext2D['createPattern']>> {
    const tile = this.module.createCanvas(64, 64);
    const context = tile.getContext('2d');
    context.scale(64 / Number(TILE), 64 / Number(TILE));
    Object.assign(context, { strokeStyle: 'rgba(0,0,0,.5)', lineWidth: 3.4, lineCap: 'round' });
    context.stroke(new this.module.Path2D(PATTERNS[index]));
    const pattern = context.createPattern(tile, 'repeat')!;
    const factor = (Number(TILE) / 64) * scale;
    pattern.setTransform({ a: factor, b: 0, c: 0, d: factor, e: 0, f: 0 });
    return pattern;
  }
}

/** Splits where a line may end. A part ends with its spaces, or with a soft hyphen. */
function partsOf(text: string): string[] {
  const parts = [''];
  for (const { segment, isWordLike } of WORDS.segment(text)) {
    const last = parts.at(-1)!;
    const isUnspaced = [last.slice(-1), segment].some(piece => BY_LETTER.test(piece) || BY_WORD.test(piece));
    const mayBreak = /\s$/.test(last) || (isUnspaced && isWordLike && !OPENING.test(last));
    if (!mayBreak || /^\s/.test(segment)) parts.push(`${parts.pop()}${segment}`);
    else if (BY_LETTER.test(segment)) parts.push(...segment);
    else parts.push(segment);
  }
  return parts.flatMap(part => part.split(/(?<=\u00ad)/));
}

function bare(part: string): string {
  return part.trimEnd().replaceAll('\u00ad', '');
}

/** A soft hyphen is visible only at the end of a line. */
function closeLine(line: string): string {
  const trimmed = line.trim();
  return trimmed.replaceAll('\u00ad', '') + (trimmed.endsWith('\u00ad') ? '-' : '');
}
