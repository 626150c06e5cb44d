import type { Size } from '../logo-size.ts';
import {
  breakable,
  distinctEnd,
  hyphenate,
  isAddress,
  LINE_END,
  lineHeightOf,
  splitGraphemes,
} from '../text.ts';
import type { Canvas2D } from './canvas.ts';

/** Measures, wraps and fits text. Lengths are in units: pixels of a 1080p picture. */

export interface Font {
  readonly size: number;
  readonly weight: number;
}

/** The room for a list of texts that share one size. */
export interface TextRoom {
  readonly weight: number;
  readonly largest: number;
  readonly floor: number;
  /** Width of each text. */
  width(at: number): number;
  /** How many lines of this size there is room for; default 1. */
  readonly lines?: (size: number) => number;
  /** What the first lines end beside. */
  readonly beside?: Size | undefined;
}

export interface FittedText {
  readonly font: Font;
  /** Lines of each text. */
  readonly lines: readonly (readonly string[])[];
  /** In units. */
  readonly lineHeight: number;
  /** Every text fits at its largest size. */
  readonly isWhole: boolean;
  /** A word is broken, or a text has lost letters. */
  readonly isBroken: boolean;
  readonly isCut: boolean;
}

/** A text on its own. */
export interface FittedLines extends Omit<FittedText, 'lines'> {
  readonly lines: readonly string[];
  /** In units, all lines together. */
  readonly height: number;
}

/** Width of a line, counting from 0. */
type Widths = (line: number) => number;

/** What is broken to fit a line: nothing, words that are wider than it, or any word. */
type Breaks = 'none' | 'wide' | 'any';

interface Wrapped {
  readonly lines: readonly string[];
  /** A word is wider than a line. */
  readonly isWide: boolean;
}

/** From the middle of a line to the baseline of Inter, in em. */
const BASELINE = 0.364;
const MEASURED_AT = 100;
const FIT_STEPS = 4;
/** A text is no smaller only because a letter would be alone on a line. */
const SMALLER = 0.88;
const DIGITS = '0123456789';
/** Texts with what was found out about them: an overlay runs for days, and a clock is another text each second. */
const MOST_KEPT = 10_000;
/** Scripts without spaces between words: a line may end after each letter, or after each word. Korean has spaces. */
const BY_LETTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Particles and endings of Japanese. */
const ENDING = /^(?:[をはがのにでともやへかねよ]|です|ます|から|まで|より)$/;
const BY_WORD = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Punctuation as wide as the letters of those scripts. */
const WIDE_MARK = /[\u3000-\u303f\u30fb\uff00-\uff65]/;
/** No line ends with these. */
const OPENING = /(?:[\p{Ps}¿¡]\s*|\p{Pi})$/u;
/**
 * No line begins with these: closing marks, marks of repetition and length, and small kana (UAX 14:
 * CL, EX, NS, CJ).
 */
const CLOSING =
  /^[\p{Pe}\p{Pf}\p{M}!?,.:;؟،؛%‰°℃…‥、。，．：；！？％・･｡､ーｰ〜～々〻ゝゞヽヾ゛゜ﾞﾟぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰ-ㇿｧ-ｯ‼⁇⁈⁉ๆฯໆៗ]/u;
/** Not even after a space. Quotation marks close in one language and open in another. */
const CLOSING_AFTER_SPACE = /^[\p{Pe}!?;:,؟،؛、。！？]/u;
/** Ends of lines in broken words and in addresses. */
const UNEVEN = /[\u00ad\u200b]$/;
const SPACES = /(\s+)/;
/** A no-break space is none. */
const SPACE_AT_END = /(?:[^\S\u00a0\u202f]|\u200b)$/;
const HYPHEN = /\p{L}{2}[-\u2010]$/u;

/** The baseline below the top of a line. */
export function baselineIn(lineHeight: number, size: number): number {
  return lineHeight / 2 + BASELINE * size;
}

export class TypeSetter {
  readonly families: string;
  readonly #context: Canvas2D;
  readonly #widths = new Map<string, number>();
  readonly #digits = new Map<number, number>();
  readonly #parts = new Map<string, readonly string[]>();

  /** @param context measures only */
  constructor(context: Canvas2D, families: string) {
    this.#context = context;
    this.families = families;
  }

  /** Forgets measured widths, after a font has loaded. */
  forget(): void {
    this.#widths.clear();
    this.#digits.clear();
  }

  width(text: string, { size, weight }: Font): number {
    const key = `${weight} ${text}`;
    let width = this.#widths.get(key);
    if (width === undefined) {
      this.#context.font = `${weight} ${MEASURED_AT}px ${this.families}`;
      width = this.#context.measureText(text).width / MEASURED_AT;
      keep(this.#widths, key, width);
    }
    return size * width;
  }

  widest(lines: readonly string[], font: Font): number {
    return Math.max(0, ...lines.map(line => this.width(line, font)));
  }

  /** The advance of each digit, so that figures do not tremble while they run up. */
  digitWidth(font: Font): number {
    const { weight } = font;
    const width = this.#digits.get(weight) ?? this.widest([...DIGITS], { size: 1, weight });
    this.#digits.set(weight, width);
    return width * font.size;
  }

  /** Width of a figure, whose digits have equal advance. */
  figureWidth(text: string, font: Font): number {
    return figurePieces(text).reduce((sum, piece) => sum + this.advance(piece, font), 0);
  }

  /** Width of a piece of a figure. */
  advance(piece: string, font: Font): number {
    return DIGITS.includes(piece) ? this.digitWidth(font) : this.width(piece, font);
  }

  /** Returns the largest size at which no text is cut, and no letter is alone on a line if that can be. */
  fit(texts: readonly string[], room: TextRoom): FittedText {
    const { largest, floor, weight, lines = () => 1 } = room;
    const em = lineHeightOf(texts);
    const resultOf = (made: readonly Wrapped[], font: Font) => ({
      font,
      lines: made.map(one => one.lines),
      lineHeight: font.size * em,
    });
    let lonely: FittedText | undefined;
    for (let step = 0; step <= FIT_STEPS; step++) {
      const font = { size: largest - ((largest - floor) * step) / FIT_STEPS, weight };
      if (lonely && font.size < SMALLER * largest) return lonely;
      const most = lines(font.size);
      const widths = texts.map((_, at) => widthsIn(room, at, font.size * em));
      const isTooMuch = ({ lines: made, isWide }: Wrapped) => isWide || made.length > most;
      if (texts.some((text, at) => isTooMuch(this.#fill(text, font, widths[at]!, 'none')))) continue;
      const wrapped = texts.map((text, at) => this.#wrap(text, font, widths[at]!));
      const fitted = { ...resultOf(wrapped, font), isWhole: step === 0, isBroken: false, isCut: false };
      if (!wrapped.some(isLonely)) return fitted;
      lonely ??= fitted;
    }
    if (lonely) return lonely;
    const font = { size: floor, weight };
    const most = Math.max(1, lines(floor));
    const broken = texts.map((text, at) =>
      this.#shorten(text, texts, most, font, widthsIn(room, at, floor * em)),
    );
    return {
      ...resultOf(broken, font),
      isWhole: false,
      isBroken: true,
      isCut: broken.some(({ isCut }) => isCut),
    };
  }

  fitOne(text: string, { width, ...room }: Omit<TextRoom, 'width'> & { width: number }): FittedLines {
    const fitted = this.fit([text], { ...room, width: () => width });
    const lines = fitted.lines[0]!;
    return { ...fitted, lines, height: lines.length * fitted.lineHeight };
  }

  /** Makes the lines of a text similar in length, unless that would break a word or an address. */
  #wrap(text: string, font: Font, widths: Widths, breaks: Breaks = 'none'): Wrapped {
    const best = this.#fill(text, font, widths, breaks);
    const count = best.lines.length;
    if (count < 2 || best.isWide || this.#partsOf(text).some(part => UNEVEN.test(part))) return best;
    let high = Math.max(...best.lines.map((_, line) => widths(line)));
    let low = high / count;
    let balanced = best;
    while (high - low > font.size / 8) {
      const middle = (low + high) / 2;
      const tried = this.#fill(text, font, line => Math.min(middle, widths(line)), breaks);
      if (tried.isWide || tried.lines.length > count) low = middle;
      else {
        high = middle;
        balanced = tried;
      }
    }
    return balanced;
  }

  #fill(text: string, font: Font, widths: Widths, breaks: Breaks): Wrapped {
    const lines: string[] = [];
    let line = '';
    let taken = 0;
    let isWide = false;
    for (const whole of this.#partsOf(text)) {
      const tooWide = this.width(bare(whole), font) > widths(lines.length);
      isWide ||= tooWide && (line === '' || this.width(bare(whole), font) > widths(lines.length + 1));
      const isBroken = breaks === 'any' ? BY_LETTER.test(whole) || tooWide : breaks === 'wide' && tooWide;
      const limit = widths(lines.length);
      const pieces = isBroken
        ? lettersOf(whole).flatMap(one => (this.width(one, font) > limit ? splitGraphemes(one) : [one]))
        : [whole];
      for (const part of pieces) {
        const hyphen = part.endsWith('\u00ad') ? '-' : '';
        if (line !== '' && taken + this.width(bare(part) + hyphen, font) > widths(lines.length)) {
          lines.push(closeLine(line));
          [line, taken] = ['', 0];
        }
        line += part;
        taken += this.width(part.replace(/[\u00ad\u200b]/, ''), font);
      }
    }
    if (line.trim() !== '') lines.push(closeLine(line));
    return { lines, isWide };
  }

  /** A text is wrapped at many widths before it fits. */
  #partsOf(text: string): readonly string[] {
    return this.#parts.get(text) ?? keep(this.#parts, text, partsOf(text));
  }

  /**
   * Breaks words where that suffices, else replaces the end by an ellipsis, or the middle where the
   * end is what distinguishes it.
   */
  #shorten(text: string, texts: readonly string[], most: number, font: Font, widths: Widths) {
    const isWide = (word: string) => this.width(word, font) > widths(most - 1);
    const fits = (wrapped: Wrapped) => wrapped.lines.length <= most && (most > 1 || !wrapped.isWide);
    const fill = (part: string, isMeant?: (word: string) => boolean) =>
      most > 1
        ? this.#fill(hyphenate(part, isMeant), font, widths, isMeant ? 'wide' : 'any')
        : this.#fill(part, font, widths, 'none');
    // A word that fits on a line is broken only where that saves all letters.
    const careful = this.#wrap(
      most > 1 ? hyphenate(text, isWide) : text,
      font,
      widths,
      most > 1 ? 'wide' : 'none',
    );
    if (most > 1 && careful.lines.length <= most) return { ...careful, isCut: false };
    const whole = fill(text);
    if (fits(whole)) return { ...whole, isCut: false };
    const distinct = distinctEnd(text, texts);
    const end = fits(fill(`…${distinct}`, isWide)) ? distinct : '';
    const beginning = splitGraphemes(text.slice(0, text.length - end.length));
    const cut = (letters: number) => fill(`${beginning.slice(0, letters).join('').trimEnd()}…${end}`, isWide);
    let enough = 0;
    let tooMany = beginning.length;
    while (tooMany - enough > 1) {
      const middle = (enough + tooMany) >> 1;
      if (fits(cut(middle))) enough = middle;
      else tooMany = middle;
    }
    return { ...cut(enough), isCut: true };
  }
}

function keep<V>(kept: Map<string, V>, key: string, value: V): V {
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, value);
  return value;
}

/** Digits one by one, and what is between them in one piece. */
export function figurePieces(text: string): string[] {
  return text.match(/[0-9]|[^0-9]+/g) ?? [];
}

/** Splits where a line may end. A part ends with its spaces, or with a soft hyphen. */
function partsOf(text: string): string[] {
  const marked = text.replace(/\S+/g, word => (isAddress(word) ? breakable(word) : word));
  // Chinese lines end after any letter, Japanese ones after words with their endings.
  const isJapanese = KANA.test(text);
  const parts = [''];
  for (const { segment, isWordLike } of wordsOf(marked)) {
    const isEnding = isJapanese && ENDING.test(segment);
    for (const piece of !isJapanese && BY_LETTER.test(segment) ? splitGraphemes(segment) : [segment]) {
      if (!isEnding && mayBreak(parts.at(-1)!, piece, isWordLike === true)) parts.push(piece);
      else parts.push(`${parts.pop()}${piece}`);
    }
  }
  return parts.flatMap(part => part.split(/([^\u00ad]*\u00ad)/).filter(piece => piece !== ''));
}

/** Splits a word at any letter that may begin a line. */
function lettersOf(word: string): string[] {
  const parts = [''];
  for (const letter of splitGraphemes(word))
    if (parts.at(-1) !== '' && (CLOSING.test(letter) || OPENING.test(parts.at(-1)!)))
      parts.push(`${parts.pop()}${letter}`);
    else parts.push(letter);
  return parts.filter(part => part !== '');
}

/** A letter alone on a line. */
function isLonely({ lines }: Wrapped): boolean {
  return lines.length > 1 && lines.some(line => splitGraphemes(line).length === 1);
}

function widthsIn({ width, beside }: TextRoom, at: number, lineHeight: number): Widths {
  if (!beside) return () => width(at);
  const shorter = Math.round(beside.height / lineHeight);
  return line => width(at) - (line < shorter ? beside.width : 0);
}

/** Whether a line may end between two pieces of a text. */
function mayBreak(before: string, after: string, isWord: boolean): boolean {
  if (before === '' || /^\s/.test(after) || OPENING.test(before)) return false;
  if (before.endsWith(LINE_END)) return true;
  if (SPACE_AT_END.test(before)) return !CLOSING_AFTER_SPACE.test(after);
  if (CLOSING.test(after)) return false;
  if (isWord && HYPHEN.test(before)) return /^\p{L}{2}/u.test(after);
  const isUnspaced = [before.slice(-1), after].some(
    piece => BY_LETTER.test(piece) || BY_WORD.test(piece) || WIDE_MARK.test(piece),
  );
  return isUnspaced && (isWord || OPENING.test(after));
}

/** Firefox before 125 has none; there, words are what spaces separate. */
const words = 'Segmenter' in Intl ? new Intl.Segmenter('en', { granularity: 'word' }) : undefined;

function wordsOf(
  text: string,
): Iterable<{ readonly segment: string; readonly isWordLike?: boolean | undefined }> {
  if (words) return words.segment(text);
  return text.split(SPACES).map(segment => ({ segment, isWordLike: true }));
}

function bare(part: string): string {
  return part.trimEnd().replace(/[\u00ad\u200b]/g, '');
}

/** A soft hyphen is visible only at the end of a line. */
function closeLine(line: string): string {
  const trimmed = line.trim();
  return bare(trimmed) + (trimmed.endsWith('\u00ad') ? '-' : '');
}
