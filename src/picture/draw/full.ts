import type { Size } from '../logo-size.ts';
import { composePicture, hasResults, type Picture } from '../picture.ts';
import { groundOf } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import { type Asked, answersOf } from './body.ts';
import { type CodeCard, type CodeRoom, layOutCode, type VoteCode } from './code.ts';
import { layOutFoot } from './foot.ts';
import { fitTitle, type HeadRoom, layOutLogo, layOutPill, SMALL_TITLE, titlePart } from './head.ts';
import {
  type Content,
  cutNames,
  GAP,
  LOW_BELOW,
  NARROW_PANEL,
  type Panel,
  settle,
  styleOf,
} from './panel.ts';
import { boxAt, moved, type Part } from './part.ts';
import { WINNER_AIR } from './row-kit.ts';
import type { FittedLines } from './type-setter.ts';

/**
 * The poll on the whole picture: state and total on one line, below it the question, and the
 * answers beside or below that.
 */

/** As high as the last seconds, so that nothing moves when they begin. */
const LINE = 66;
const GUTTER = 64;
/** State and call take so much of their line, and the notes the rest. */
const HALF = 0.55;
/** In a low picture, between line, question and answers. */
const LOW_GAP = 12;
/** The question beside the answers takes this part of the width. */
const THIRD = 1 / 3;
/** A narrower picture has the question above the answers, and the code below them. */
const NARROW = 900;
/** The code takes this part of the picture's height, and of a narrow picture's width at most; more without answers. */
const CODE = { high: 1 / 3, wide: 0.48 };
const CODE_ALONE = { high: 1 / 2, wide: 0.7 };
const CODE_WORDS = { address: 44, digits: 96 };
/** A code that leaves less gives way. */
const LEAST = { width: 480, height: 250 };
/** And less for a question above it. */
const LEAST_TITLE = 120;
const TITLE = { size: 60, lines: 2, mostLines: 4 };
/** A question with enough room has at most so many. */
const MOST_LINES = 9;
/** A mark or a badge may reach so far below the answers. */
const OVERHANG = 14;

/** Question and answers in one of the ways that a picture offers. */
interface Arrangement extends Content<FittedLines | undefined> {
  readonly isWhole: boolean;
  readonly isCut: boolean;
  readonly card: CodeCard | undefined;
  parts(top: number): Part[];
}

interface FullOf extends Asked {
  /** Height of the line of state and notes, or of both below each other. */
  readonly line: number;
  readonly isCompact: boolean;
  /** The question is small, and rows are low, so that more answers have room. */
  readonly isTight?: boolean | undefined;
}

/** @param hasCode the code is shown, and takes room */
export function layOutFull(asked: Asked, unitPx: number, hasCode: boolean): Panel & { hasCode: boolean } {
  const { settings, free } = asked;
  // No plate, so a winner's row has nothing to grow into.
  const plate = groundOf(asked.theme, settings.ground).color;
  const own = { ...asked, theme: { ...asked.theme, plate, padding: 0 } };
  const logo = layOutLogo(asked, free.width, free.height);
  const start = logo?.taken ?? 0;
  const isNarrow = free.width < NARROW;
  const picture = composePicture(asked.poll, settings, 1, asked);
  const hasLongCounts = hasResults(asked.poll) && isLongCount(picture.mostVotes);
  const pill = layOutPill({ ...own, picture }, (free.width - start) * HALF);
  const least = Math.max(LINE, pill.height);
  const attempt = (line: number, isCompact: boolean) => {
    const best = arrangeBest({ ...own, line, isCompact }, hasCode ? asked.code : undefined, unitPx);
    const composed = { ...own, picture: best.picture };
    const width = isNarrow ? free.width : free.width - start - pill.width - GAP;
    const notes = layOutFoot(composed, { width, isCompact });
    return { line, isCompact, best, notes };
  };
  let made = attempt(least, free.width < NARROW_PANEL);
  if (!made.best.isWhole && !made.isCompact && hasLongCounts) made = attempt(least, true);
  // A narrow picture has its notes below the state.
  const noted = made.notes?.height ?? 0;
  const below = isNarrow ? noted : Math.max(0, noted - least);
  if (below > 0) made = attempt(least + below, made.isCompact);
  const { line, best, notes } = made;
  const { body, head, card } = best;
  return {
    padding: 0,
    turns: Math.max(body.turns ?? 1, best.picture.pages),
    width: free.width,
    height: free.height,
    picture: best.picture,
    isWhole: best.isWhole,
    hasCode: card !== undefined,
    cut: cutNames({ title: head?.isCut, answers: body.isCut }),
    parts(top) {
      const middle = top + (isNarrow ? least : line) / 2;
      const notesTop = isNarrow ? top + least : middle - (notes?.height ?? 0) / 2;
      return [
        ...(logo ? [logo.part(middle - logo.height / 2)] : []),
        ...moved(notes?.parts(notesTop) ?? [], isNarrow ? 0 : start),
        ...pill.parts(free.width - pill.width, middle),
        ...best.parts(top + line + gapOf(own)),
      ];
    },
  };
}

function arrangeBest(of: FullOf, code: VoteCode | undefined, unitPx: number): Arrangement {
  const { free, type, theme, settings } = of;
  const isNarrow = free.width < NARROW;
  const answers = answersOf(of);
  const hasAnswers = answers.length > 0;
  const part = hasAnswers ? CODE : CODE_ALONE;
  const high = (of.height / unitPx) * part.high;
  const room: CodeRoom = {
    sizes: { ...CODE_WORDS, code: isNarrow ? Math.min(high, free.width * part.wide) : high },
    words: isNarrow && hasAnswers ? 'after' : 'below',
    width: isNarrow ? free.width : Math.max(high, free.width * THIRD),
    height: restOf(of),
    unitPx,
    radius: theme.radius,
  };
  const card = code && layOutCode(code, type, room);
  const hasThird = hasAnswers && !isNarrow && !isLow(of) && !styleOf(settings).isWide;
  const ways = hasThird ? [beside, below, belowAll] : [below, belowAll];
  const arranged = (shown: CodeCard | undefined) => {
    const made = (isTight: boolean) => ways.flatMap(way => way({ ...of, isTight }, shown) ?? []);
    const usual = made(false);
    return usual.some(({ isCut, picture }) => !isCut && picture.slots >= answers.length)
      ? usual
      : [...usual, ...made(true)];
  };
  const withCard = card ? arranged(card) : [];
  const able = withCard.length > 0 ? withCard : arranged(undefined);
  return able.reduce((best, other) => (isBetter(other, best) ? other : best));
}

function isLow({ free }: Asked): boolean {
  return free.height < LOW_BELOW;
}

/** Whole texts come first, then more answers, then larger ones. @param one has its answers on the whole width */
function isBetter(one: Arrangement, other: Arrangement): boolean {
  if (one.isCut !== other.isCut) return other.isCut;
  const more = one.picture.slots - other.picture.slots;
  if (more !== 0) return more > 0;
  return one.isCut || one.body.answerSize > other.body.answerSize;
}

/** The height below the line of state and notes. */
function restOf(of: FullOf): number {
  return of.free.height - of.line - gapOf(of);
}

function gapOf(of: Asked): number {
  return isLow(of) ? LOW_GAP : GAP;
}

/** The question on the left third with the code below it, the answers beside it. */
function beside(of: FullOf, card: CodeCard | undefined): Arrangement | undefined {
  const { free, settings } = of;
  const height = restOf(of);
  const third = settings.title || card ? free.width * THIRD : 0;
  const left = third > 0 ? third + GUTTER : 0;
  const forTitle = height - (card ? card.height + GAP : 0);
  if (forTitle < LEAST_TITLE) return undefined;
  const room = { width: free.width - left, height: height - OVERHANG };
  const titleRoom = { width: third, most: forTitle, usual: forTitle, mostLines: MOST_LINES };
  const content = arrange(of, titleRoom, () => room);
  const { head, body } = content;
  return {
    ...content,
    card,
    parts: top => [
      ...titleAt(of, head, top + (forTitle - (head?.height ?? 0)) / 2, third),
      ...moved(body.parts(top + (height - body.height) / 2), left + WINNER_AIR.x),
      ...(card?.parts(0, top + height - card.height) ?? []),
    ],
  };
}

/** The question above answers and code, which are beside each other. */
function belowAll(of: FullOf, card: CodeCard | undefined): Arrangement | undefined {
  return card && of.free.width >= NARROW ? below(of, card, card.height) : undefined;
}

/**
 * The question on top, the answers below it, and the code in the corner at their end, or below them.
 *
 * @param codeHeight of a code that is below the question, too
 */
function below(of: FullOf, card: CodeCard | undefined, codeHeight?: number): Arrangement | undefined {
  const { free, settings } = of;
  const isNarrow = free.width < NARROW;
  const width = free.width - (card && !isNarrow ? card.width + GUTTER : 0);
  const height = restOf(of) - (card && isNarrow ? card.height + GAP : 0);
  const gap = gapOf(of);
  const answers = answersOf(of);
  const leaves = { width, height: answers.length > 0 ? height : LEAST.height };
  if (card && (leaves.width < LEAST.width || leaves.height < LEAST.height)) return undefined;
  const { least, preferred } = styleOf(settings).heights(answers, width);
  const titleWidth = codeHeight === undefined ? width : free.width;
  const most = height - gap - Math.max(least, codeHeight ?? 0);
  const arrangeFor = (usual: number, mostLines: number) =>
    arrange(of, { width: titleWidth, most, usual: Math.min(most, usual), mostLines }, taken => ({
      width,
      height: height - taken - gap - OVERHANG,
    }));
  const usual = arrangeFor(height - gap - preferred, TITLE.mostLines);
  // A question that would be cut takes room from the answers.
  const content = usual.head?.isCut ? arrangeFor(most, MOST_LINES) : usual;
  const { head, body } = content;
  const titleHeight = head?.height ?? 0;
  // Without answers, question and code are in the middle.
  const isMiddle = body.height === 0 && !isNarrow;
  return {
    ...content,
    card,
    parts: top => {
      const bodyTop = top + titleHeight + gap;
      const rest = height - titleHeight - gap - body.height;
      const codeRest = restOf(of) - (card?.height ?? 0);
      const codeLeft = (free.width - (card?.width ?? 0)) / (isNarrow ? 2 : 1);
      return [
        ...titleAt(of, head, isMiddle ? top + (height - titleHeight) / 2 : top, titleWidth),
        ...moved(body.parts(bodyTop + rest / 2), WINNER_AIR.x),
        ...(card?.parts(codeLeft, top + codeRest / (isMiddle ? 2 : 1)) ?? []),
      ];
    },
  };
}

type TitleRoom = Pick<HeadRoom, 'width' | 'most' | 'usual'> & Partial<HeadRoom>;

/** The answers get less height until they fit. @param roomOf the room below a question of this height, or beside it */
function arrange(of: FullOf, titleRoom: TitleRoom, roomOf: (titleHeight: number) => Size) {
  const { settings, isCompact, isTight } = of;
  const largest = isTight ? SMALL_TITLE : TITLE;
  const headOf = (_: Picture, answerSize: number) =>
    settings.title ? fitTitle(of, { ...largest, ...titleRoom, answerSize, isLow: isLow(of) }) : undefined;
  let shrunk = 0;
  const lay = () =>
    settle(of, headOf, head => {
      const { width, height } = roomOf(head?.height ?? 0);
      return { width: width - 2 * WINNER_AIR.x, height: height - shrunk, isCompact, isTight };
    });
  let content = lay();
  const over = () => Math.ceil(content.body.height - roomOf(content.head?.height ?? 0).height);
  while (over() > 1 && shrunk < of.free.height) {
    shrunk += over();
    content = lay();
  }
  const { head, body } = content;
  const isCut = body.isCut || head?.isCut === true || (settings.title && !head);
  return { ...content, isCut, isWhole: body.isWhole && !isCut };
}

function titleAt({ theme }: Asked, title: FittedLines | undefined, y: number, width: number): Part[] {
  return title ? [titlePart(title, boxAt(0, y, width, title.height), theme)] : [];
}
