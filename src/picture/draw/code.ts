import { addressInWords, formatJoinCode } from '../../poll/join-code.ts';
import type { Size } from '../logo-size.ts';
import { LINE_END } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { box, boxAt, type CodeRun, order, type Part, part, text } from './part.ts';
import type { Font, TypeSetter } from './type-setter.ts';

/** The QR code of a voting address. */
export interface VoteCode {
  readonly address: string;
  /** Digits that people without a camera type on the home page; undefined without any. */
  readonly joinCode?: string | undefined;
  /** A sentence below the address. */
  readonly note?: string | undefined;
  /** Along each side, including the quiet zone. */
  readonly modules: number;
  readonly dark: readonly CodeRun[];
}

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
/** Around the words, in modules. */
const AIR = { side: 3, below: 4 };
/** A card gets so much higher at most, to be as high as what is beside it. */
const STRETCH = 120;
const GROUND = '#ffffff';
const INK = '#11141c';

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
  readonly radius: number;
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

/** Code and address on a light card, as readers expect in every theme. The quiet zone is part of the code. */
export function layOutCode(code: VoteCode, type: TypeSetter, room: CodeRoom): CodeCard {
  const { sizes, width, height } = room;
  const wanted = Math.min(sizes.code, width, room.words === 'after' ? height : height - sizes.address * 2);
  const card = cardOf(code, type, room, wanted);
  // An address of several lines leaves less room for the code.
  return card.height <= height ? card : cardOf(code, type, room, wanted - (card.height - height));
}

function cardOf(code: VoteCode, type: TypeSetter, room: CodeRoom, wanted: number): CodeCard {
  const { unitPx, radius } = room;
  const { modules, dark } = code;
  // A full picture has the room for half a pixel more.
  const toPixels = room.words === 'within' ? Math.floor : Math.round;
  const modulePx = Math.max(1, toPixels(Math.max(SMALLEST_MODULE, wanted / modules) * unitPx));
  const module = modulePx / unitPx;
  const size = modules * module;
  const air = AIR.side * module;
  const isAfter = room.words === 'after';
  const most = isAfter ? room.width - size - air : (room.words === 'below' ? room.width : size) - 2 * air;
  const words = wordsOf(code, type, room.sizes, most);
  const inner = Math.max(...words.map(({ lines, font }) => type.widest(lines, font)));
  const wordsHeight = words.reduce((sum, { height }) => sum + height, 0);
  const width = isAfter ? room.width : Math.max(size, inner + 2 * air);
  const height = isAfter ? Math.max(size, wordsHeight) : size + wordsHeight + AIR.below * module;
  return {
    width,
    height,
    parts(x, y, wanted = height) {
      const high = wanted < height + STRETCH ? Math.max(height, wanted) : height;
      const from = { alpha: 0 };
      // On whole pixels, so that modules are sharp.
      const whole = (at: number) => Math.round(at * unitPx) / unitPx;
      const left = whole(x);
      const top = whole(y + (high - height) / 2);
      const codeLeft = isAfter ? left : whole(left + (width - size) / 2);
      const card = box(boxAt(left, whole(y), width, high), { color: GROUND }, Math.min(radius, 2 * module));
      const drawn = { at: boxAt(codeLeft, top, size, size), shape: { kind: 'code', dark, modules } } as const;
      const wordsLeft = isAfter ? left + size : left + (width - most) / 2;
      let wordsTop = isAfter ? top + (height - wordsHeight) / 2 : top + size;
      const written = words.map(({ key, lines, font, height }) => {
        const at = boxAt(wordsLeft, wordsTop, most, height);
        wordsTop += height;
        const lineHeight = height / lines.length;
        const shape = { lines, font, lineHeight, color: INK, align: 'center', isPlain: true } as const;
        return part(key, text(at, shape), { from });
      });
      return [
        part('code card', card, { order: order.ground, from }),
        part('code', drawn, { from }),
        ...written,
      ];
    },
  };
}

/** Each as large as fits: no letter is lost. */
function wordsOf(code: VoteCode, type: TypeSetter, sizes: CodeSizes, width: number): Words[] {
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
  return [
    set('address', lines, sizes.address),
    ...(digits === undefined ? [] : [set('join code', [digits], sizes.digits)]),
    ...(code.note === undefined ? [] : [set('note', [code.note], SMALLEST_TEXT)]),
  ];
}

/** Lines end after a slash, and after other marks only where they would be too small. A number stays whole. */
function linesOf(address: string, largest: number, fits: (line: string, size: number) => boolean): string[] {
  let lines: string[] = [];
  for (const mark of [/\/+/g, /\/+|[.-]+(?!\d)/g]) {
    const pieces = address.replace(mark, `$&${LINE_END}`).split(LINE_END);
    for (let size = largest; size >= SMALLEST_TEXT; size--) {
      lines = [''];
      for (const piece of pieces) {
        const joined = `${lines.at(-1)}${piece}`;
        if (fits(joined, size)) lines.splice(-1, 1, joined);
        else lines.push(piece);
      }
      if (lines.length <= MOST_LINES && lines.every(line => fits(line, size))) return lines;
    }
  }
  return lines;
}
