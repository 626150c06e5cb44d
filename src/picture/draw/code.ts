import { addressInWords, formatJoinCode } from '../../poll/join-code.ts';
import type { Size } from '../logo-size.ts';
import { LINE_END } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import type { Asked } from './body.ts';
import type { VoteCode } from './look.ts';
import { box, boxAt, order, type Part, part, platePart, text } from './part.ts';
import type { Font } from './type-setter.ts';

/** Sizes in units. The code is for a phone camera across a room. */
export interface CodeSizes {
  readonly code: number;
  readonly address: number;
  readonly digits: number;
}

export const BESIDE: CodeSizes = { code: 340, address: 34, digits: 64 };
export const ALONE: CodeSizes = { ...BESIDE, code: 520 };
const SMALLEST_MODULE = 6;
const WEIGHT = 700;
const LINE = 1.2;
const MOST_LINES = 3;
/** Around the code, and between it and its words. */
export const CARD_AIR = 16;
/** A card gets so much higher at most, to be as high as what is beside it. */
const STRETCH = 120;
const GROUND = '#ffffff';

export interface CodeCard extends Size {
  /** @param height of the card, if more than its own and not by far */
  parts(x: number, y: number, height?: number): Part[];
}

export interface CodeRoom extends Size {
  readonly sizes: CodeSizes;
  /** Below the code and no wider, below it and as wide as the room, or at its end. */
  readonly words: 'within' | 'below' | 'after';
  /** CSS pixels of a unit: each module is a whole number of pixels. */
  readonly unitPx: number;
}

interface Words {
  readonly key: string;
  readonly lines: readonly string[];
  readonly font: Font;
  readonly height: number;
}

/** The voting address in words, which no scheme begins: with a join code the site and the code, else all of it. */
export function addressParts({ address, joinCode }: Pick<VoteCode, 'address' | 'joinCode'>): string[] {
  const words = addressInWords(address);
  return joinCode === undefined
    ? [words]
    : [words.replace(/(\/show)?\/[^/]+$/, ''), formatJoinCode(joinCode)];
}

/** What the code is for, code and address on a plate like the panel's. Its light ground is the quiet zone. */
export function layOutCode(code: VoteCode, of: Asked, room: CodeRoom): CodeCard {
  const { sizes, width, height } = room;
  const high = room.words === 'after' ? height : height - sizes.address * 3;
  const wanted = Math.min(sizes.code, width - 2 * CARD_AIR, high - 2 * CARD_AIR);
  const card = cardOf(code, of, room, wanted);
  // An address of several lines leaves less room for the code.
  return card.height <= height ? card : cardOf(code, of, room, wanted - (card.height - height));
}

function cardOf(code: VoteCode, of: Asked, room: CodeRoom, wanted: number): CodeCard {
  const { type, theme, settings } = of;
  const { unitPx } = room;
  const { modules, dark } = code;
  // A full picture has the room for half a pixel more.
  const toPixels = room.words === 'within' ? Math.floor : Math.round;
  const modulePx = Math.max(1, toPixels(Math.max(SMALLEST_MODULE, wanted / modules) * unitPx));
  const size = (modules * modulePx) / unitPx;
  const isAfter = room.words === 'after';
  const most = isAfter
    ? room.width - size - 3 * CARD_AIR
    : room.words === 'below'
      ? Math.max(size, room.width - 2 * CARD_AIR)
      : size;
  const words = wordsOf(code, of, room.sizes, most);
  const inner = Math.max(...words.map(({ lines, font }) => type.widest(lines, font)));
  const wordsHeight = words.reduce((sum, { height }) => sum + height, 0);
  const above = isAfter ? 0 : words[0]!.height + CARD_AIR / 2;
  const width = isAfter ? room.width : Math.max(size, inner) + 2 * CARD_AIR;
  const height = (isAfter ? Math.max(size, wordsHeight) : size + wordsHeight + CARD_AIR) + 2 * CARD_AIR;
  return {
    width,
    height,
    parts(x, y, wanted = height) {
      const high = wanted < height + STRETCH ? Math.max(height, wanted) : height;
      // On whole pixels, so that modules are sharp.
      const whole = (at: number) => Math.round(at * unitPx) / unitPx;
      const left = whole(x);
      const begin = y + (high - height) / 2 + CARD_AIR;
      const top = whole(isAfter ? y + (high - size) / 2 : begin + above);
      const codeBox = boxAt(
        isAfter ? left + whole(CARD_AIR) : whole(left + (width - size) / 2),
        top,
        size,
        size,
      );
      const more = { from: { alpha: 0 }, within: 'code card' };
      const [wordsLeft, wide] = isAfter
        ? [codeBox.x + size + CARD_AIR, most]
        : [left + CARD_AIR, width - 2 * CARD_AIR];
      let wordsTop = isAfter ? y + (high - wordsHeight) / 2 : begin;
      const written = words.map(({ key, lines, font, height }, index) => {
        const at = boxAt(wordsLeft, wordsTop, wide, height);
        wordsTop = index === 0 && !isAfter ? top + size + CARD_AIR / 2 : wordsTop + height;
        const lineHeight = height / lines.length;
        return part(key, text(at, { lines, font, lineHeight, color: theme.text, align: 'center' }), more);
      });
      const field = box(codeBox, { color: GROUND }, Math.min(theme.radius / 2, CARD_AIR / 2));
      return [
        platePart('code card', boxAt(left, whole(y), width, high), settings, theme),
        part('code ground', field, { ...more, order: order.bar }),
        part('code', { at: codeBox, shape: { kind: 'code', dark, modules } }, more),
        ...written,
      ];
    },
  };
}

/** Each as large as fits: no letter is lost. */
function wordsOf(code: VoteCode, { type, wording }: Asked, sizes: CodeSizes, width: number): Words[] {
  const [address = '', digits] = addressParts(code);
  const set = (key: string, lines: readonly string[], largest: number): Words => {
    const size = Math.min(largest, width / type.widest(lines, { size: 1, weight: WEIGHT }));
    return { key, lines, font: { size, weight: WEIGHT }, height: lines.length * size * LINE };
  };
  const lines = linesOf(
    address,
    sizes.address,
    (line, size) => type.width(line, { size, weight: WEIGHT }) <= width,
  );
  const heading = {
    weight: WEIGHT,
    largest: sizes.address,
    floor: SMALLEST_TEXT,
    width,
    lines: () => MOST_LINES - 1,
  };
  return [
    { key: 'scan', ...type.fitOne(wording.phrases.scan, heading) },
    set('address', lines, sizes.address),
    ...(digits === undefined ? [] : [set('join code', [digits], sizes.digits)]),
    ...(code.note === undefined ? [] : [set('note', [code.note], SMALLEST_TEXT)]),
  ];
}

/**
 * Lines end after a slash, and after other marks only where they would be too small; smaller letters come before
 * another line. A number stays whole.
 */
function linesOf(address: string, largest: number, fits: (line: string, size: number) => boolean): string[] {
  let lines: string[] = [];
  for (const mark of [/\/+/g, /\/+|[.-]+(?!\d)/g]) {
    const pieces = address.replace(mark, `$&${LINE_END}`).split(LINE_END);
    for (let most = 1; most <= MOST_LINES; most++)
      for (let size = largest; size >= SMALLEST_TEXT; size--) {
        lines = [''];
        for (const piece of pieces) {
          const joined = `${lines.at(-1)}${piece}`;
          if (fits(joined, size)) lines.splice(-1, 1, joined);
          else lines.push(piece);
        }
        if (lines.length <= most && lines.every(line => fits(line, size))) return lines;
      }
  }
  return lines;
}
