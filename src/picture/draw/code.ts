import { SMALLEST_TEXT } from '../themes.ts';
import { order } from './body.ts';
import { type CodeRun, type Part, place } from './part.ts';
import type { TypeSetter } from './type-setter.ts';

/** The QR code of a voting address. */
export interface VoteCode {
  readonly address: string;
  /** Along each side, including the quiet zone. */
  readonly modules: number;
  readonly dark: readonly CodeRun[];
}

/** Least size in units, for a phone camera across a room. */
const BESIDE = 340;
const ALONE = 520;
const SMALLEST_MODULE = 6;
const WORDS = { size: 34, lines: 3, weight: 700 };
/** Around the words, in modules. */
const AIR = { side: 3, below: 4 };
const GROUND = '#ffffff';
const INK = '#11141c';

export interface CodeCard {
  readonly width: number;
  readonly height: number;
  /** The address has lost letters. */
  readonly isCut: boolean;
  parts(x: number, y: number): Part[];
}

export interface CodeRoom {
  readonly place: 'beside' | 'alone';
  readonly width: number;
  readonly height: number;
  /** CSS pixels of a unit: each module is a whole number of pixels. */
  readonly unitPx: number;
  readonly radius: number;
}

/** Code and address on a light card, as readers expect in every theme. The quiet zone is part of the code. */
export function layOutCode(code: VoteCode, type: TypeSetter, room: CodeRoom): CodeCard {
  const wanted = room.place === 'alone' ? ALONE : BESIDE;
  const words = wordsOf(code.address);
  const card = cardOf(code, words, type, room, Math.min(wanted, room.width, room.height - WORDS.size * 2));
  // An address of several lines leaves less room for the code.
  return card.height <= room.height
    ? card
    : cardOf(code, words, type, room, card.width - (card.height - room.height));
}

function cardOf(
  code: VoteCode,
  words: string,
  type: TypeSetter,
  { unitPx, radius }: CodeRoom,
  wanted: number,
): CodeCard {
  const modulePx = Math.max(1, Math.floor(Math.max(SMALLEST_MODULE, wanted / code.modules) * unitPx));
  const module = modulePx / unitPx;
  const width = code.modules * module;
  const inner = width - 2 * AIR.side * module;
  const { weight, size: largest, lines } = WORDS;
  const fitted = type.fit([words], {
    weight,
    largest,
    floor: SMALLEST_TEXT,
    width: () => inner,
    lines: () => lines,
  });
  const wordsHeight = fitted.lines[0]!.length * fitted.lineHeight;
  const height = width + wordsHeight + AIR.below * module;
  return {
    width,
    height,
    isCut: fitted.isCut,
    parts(x, y) {
      const from = { alpha: 0 };
      // On whole pixels, so that modules are sharp.
      const [left, top] = [Math.round(x * unitPx) / unitPx, Math.round(y * unitPx) / unitPx];
      const { font, lineHeight } = fitted;
      return [
        {
          key: 'code card',
          shape: {
            kind: 'box',
            fill: { color: GROUND, pattern: undefined },
            radius: Math.min(radius, 2 * module),
          },
          at: place(left, top, width, height),
          order: order.ground,
          from,
        },
        {
          key: 'code',
          shape: { kind: 'code', dark: code.dark, modules: code.modules },
          at: place(left, top, width, width),
          order: order.text,
          from,
        },
        {
          key: 'address',
          shape: {
            kind: 'text',
            lines: fitted.lines[0]!,
            font,
            lineHeight,
            color: INK,
            align: 'center',
            isPlain: true,
          },
          at: place(left + AIR.side * module, top + width, inner, wordsHeight),
          order: order.text,
          from,
        },
      ];
    },
  };
}

/** Browsers add the scheme, and a line may break after a slash or before a dot. */
function wordsOf(address: string): string {
  return address
    .replace(/^https?:\/\//, '')
    .replaceAll('/', '/\u200b')
    .replaceAll('.', '\u200b.');
}
