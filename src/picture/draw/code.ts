import { addressInWords, formatJoinCode } from '../../poll/join-code.ts';
import { breakable } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { type Box, box, boxAt, type CodeRun, order, type Part, part, text } from './part.ts';
import type { FittedLines, TypeSetter } from './type-setter.ts';

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
const DIGITS = { largest: 64, weight: 700 };
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
  const card = cardOf(code, type, room, Math.min(wanted, room.width, room.height - WORDS.size * 2));
  // An address of several lines leaves less room for the code.
  return card.height <= room.height
    ? card
    : cardOf(code, type, room, card.width - (card.height - room.height));
}

function cardOf(code: VoteCode, type: TypeSetter, { unitPx, radius }: CodeRoom, wanted: number): CodeCard {
  const { modules, dark } = code;
  const [address = '', digits] = addressParts(code);
  const modulePx = Math.max(1, Math.floor(Math.max(SMALLEST_MODULE, wanted / modules) * unitPx));
  const module = modulePx / unitPx;
  const width = modules * module;
  const inner = width - 2 * AIR.side * module;
  const { weight, size: largest, lines } = WORDS;
  const room = { floor: SMALLEST_TEXT, width: inner };
  const fitIn = (most: number) =>
    type.fitOne(breakable(address), { ...room, weight, largest, lines: () => most });
  // A site alone stays on as few lines as can be.
  const tries = digits === undefined ? [] : Array.from({ length: lines }, (_, at) => fitIn(at + 1));
  const words = tries.find(({ isBroken }) => !isBroken) ?? fitIn(lines);
  const figures = digits === undefined ? undefined : type.fitOne(digits, { ...room, ...DIGITS });
  const height = width + words.height + (figures?.lineHeight ?? 0) + AIR.below * module;
  return {
    width,
    height,
    isCut: words.isCut,
    parts(x, y) {
      const from = { alpha: 0 };
      // On whole pixels, so that modules are sharp.
      const left = Math.round(x * unitPx) / unitPx;
      const top = Math.round(y * unitPx) / unitPx;
      const wordsLeft = left + AIR.side * module;
      const wordsTop = top + width;
      const write = (key: string, at: Box, written: FittedLines) =>
        part(key, text(at, { ...written, color: INK, align: 'center', isPlain: true }), { from });
      const card = box(boxAt(left, top, width, height), { color: GROUND }, Math.min(radius, 2 * module));
      const drawn = { at: boxAt(left, top, width, width), shape: { kind: 'code', dark, modules } } as const;
      const made = [
        part('code card', card, { order: order.ground, from }),
        part('code', drawn, { from }),
        write('address', boxAt(wordsLeft, wordsTop, inner, words.height), words),
      ];
      if (!figures) return made;
      const at = boxAt(wordsLeft, wordsTop + words.height, inner, figures.lineHeight);
      return [...made, write('join code', at, figures)];
    },
  };
}
