import { addressInWords, formatJoinCode } from '../../poll/join-code.ts';
import { breakable } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { order, textPart } from './body.ts';
import { type CodeRun, type Part, place } from './part.ts';
import type { FittedText, TypeSetter } from './type-setter.ts';

/** The QR code of a voting address. */
export interface VoteCode {
  readonly address: string;
  /** Digits that people without a camera type on the home page; undefined without any. */
  readonly joinCode?: string | undefined;
  /** Along each side, including the quiet zone. */
  readonly modules: number;
  readonly dark: readonly CodeRun[];
}

/** Least size in units, for a phone camera across a room. */
const BESIDE = 340;
const ALONE = 520;
const SMALLEST_MODULE = 6;
const WORDS = { size: 34, lines: 3, weight: 700 };
const DIGITS = { size: 64, weight: 700 };
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

/** The voting address in words, which no scheme begins: with a join code the site and the code, else all of it. */
export function addressParts({ address, joinCode }: Pick<VoteCode, 'address' | 'joinCode'>): string[] {
  const words = addressInWords(address);
  return joinCode === undefined
    ? [words]
    : [words.replace(/(\/show)?\/[^/]+$/, ''), formatJoinCode(joinCode)];
}

/** Code and address on a light card, as readers expect in every theme. The quiet zone is part of the code. */
export function layOutCode(code: VoteCode, type: TypeSetter, room: CodeRoom): CodeCard {
  const wanted = room.place === 'alone' ? ALONE : BESIDE;
  const words = addressParts(code);
  const card = cardOf(code, words, type, room, Math.min(wanted, room.width, room.height - WORDS.size * 2));
  // An address of several lines leaves less room for the code.
  return card.height <= room.height
    ? card
    : cardOf(code, words, type, room, card.width - (card.height - room.height));
}

function cardOf(
  code: VoteCode,
  [address = '', digits]: readonly string[],
  type: TypeSetter,
  { unitPx, radius }: CodeRoom,
  wanted: number,
): CodeCard {
  const modulePx = Math.max(1, Math.floor(Math.max(SMALLEST_MODULE, wanted / code.modules) * unitPx));
  const module = modulePx / unitPx;
  const width = code.modules * module;
  const inner = width - 2 * AIR.side * module;
  const { weight, size: largest, lines } = WORDS;
  const fitIn = (most: number) =>
    type.fit([breakable(address)], {
      weight,
      largest,
      floor: SMALLEST_TEXT,
      width: () => inner,
      lines: () => most,
    });
  // A site alone stays on as few lines as can be.
  const tries = digits === undefined ? [] : Array.from({ length: lines }, (_, at) => fitIn(at + 1));
  const fitted = tries.find(({ isBroken }) => !isBroken) ?? fitIn(lines);
  const wordsHeight = fitted.lines[0]!.length * fitted.lineHeight;
  const figures =
    digits === undefined
      ? undefined
      : type.fit([digits], { ...DIGITS, largest: DIGITS.size, floor: SMALLEST_TEXT, width: () => inner });
  const height = width + wordsHeight + (figures?.lineHeight ?? 0) + AIR.below * module;
  return {
    width,
    height,
    isCut: fitted.isCut,
    parts(x, y) {
      const from = { alpha: 0 };
      // On whole pixels, so that modules are sharp.
      const left = Math.round(x * unitPx) / unitPx;
      const top = Math.round(y * unitPx) / unitPx;
      const wordsTop = top + width;
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
        textOf('address', fitted, place(left + AIR.side * module, wordsTop, inner, wordsHeight)),
        ...(figures
          ? [
              textOf(
                'join code',
                figures,
                place(left + AIR.side * module, wordsTop + wordsHeight, inner, figures.lineHeight),
              ),
            ]
          : []),
      ];
    },
  };
}

function textOf(key: string, { lines, font, lineHeight }: FittedText, at: Part['at']): Part {
  const text = { lines: lines[0]!, font, lineHeight, color: INK, align: 'center', isPlain: true } as const;
  return textPart(key, text, at, { from: { alpha: 0 } });
}
