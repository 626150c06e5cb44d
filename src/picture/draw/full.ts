import { composePicture, hasResults } from '../picture.ts';
import { groundOf } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import { type Asked, answersOf } from './body.ts';
import { CARD_AIR, type CodeCard, type CodeRoom, layOutCode } from './code.ts';
import { type Filling, type LaidPanel, layOutPanel, shrinkToFit } from './panel.ts';
import { WINNER_AIR } from './row-kit.ts';

/** The poll on the whole picture: a panel without a plate. Its answers fill it, with the code beside or below them. */

/** A narrower picture has the code below the answers. */
const NARROW = 900;
/** The code beside the answers takes so much of the width, or of the height where they need the room. */
const THIRD = 0.318;
/** Its part of a narrow picture's width, and of the height where there are no answers. */
const CODE = { wide: 0.48, alone: 0.5 };
const CODE_WORDS = { address: 34, digits: 54 };
/** A code that leaves less gives way. */
const LEAST = { width: 480, height: 250 };
/** For question and notes above and below it. */
const LEAST_AROUND = 150;

/** @param hasCode the code is shown, and takes room */
export function layOutFull(asked: Asked, unitPx: number, hasCode: boolean): LaidPanel {
  const { settings, free, poll } = asked;
  // No plate, so that of a winner has its air around all content.
  const plate = groundOf(asked.theme, settings.ground).color;
  const of = { ...asked, theme: { ...asked.theme, plate, padding: WINNER_AIR.x } };
  const answers = answersOf(of).length;
  const { mostVotes } = composePicture(poll, settings, 1, of);
  const layOut = (isSmall: boolean, isTight: boolean, isCompact = false): LaidPanel => {
    const filling = fillingOf(of, unitPx, hasCode, isSmall);
    const way = { width: free.width, shrunk: 0, isCompact, isTight, filling };
    const made = layOutPanel(of, way);
    const isShort = isCompact || made.isWhole || !hasResults(poll) || !isLongCount(mostVotes);
    return isShort ? shrinkToFit(of, way, made) : layOut(isSmall, isTight, true);
  };
  let best = layOut(false, false);
  for (const [isSmall, isTight] of [
    [true, false],
    [true, true],
  ] as const) {
    if (best.cut.length === 0 && best.picture.slots >= answers) break;
    const other = layOut(isSmall, isTight);
    if (isBetter(other, best)) best = other;
  }
  return best;
}

/** Whole texts come first, then more answers, then larger ones. */
function isBetter(one: LaidPanel, other: LaidPanel): boolean {
  return (
    (other.cut.length - one.cut.length ||
      one.picture.slots - other.picture.slots ||
      one.answerSize - other.answerSize) > 0
  );
}

function fillingOf(of: Asked, unitPx: number, hasCode: boolean, isSmall: boolean): Filling {
  const { free, code, settings, theme } = of;
  const hasAnswers = answersOf(of).length > 0;
  const isNarrow = free.width < NARROW;
  const screen = of.height / unitPx;
  const third = screen * THIRD;
  const cardOf = (room: Pick<CodeRoom, 'words' | 'width' | 'height'>, size: number): CodeCard | undefined =>
    hasCode && code
      ? layOutCode(code, of, {
          ...room,
          sizes: { ...CODE_WORDS, code: size },
          unitPx,
        })
      : undefined;
  const size = !hasAnswers ? screen * CODE.alone : isSmall ? third : Math.max(third, free.width * THIRD);
  const besideIn = (height: number) => cardOf({ words: 'below', width: size + 2 * CARD_AIR, height }, size);
  const below =
    isNarrow && hasAnswers
      ? cardOf(
          { words: 'after', width: free.width - 2 * theme.padding, height: free.height },
          Math.min(third, free.width * CODE.wide),
        )
      : undefined;
  const least = below
    ? undefined
    : cardOf({ words: 'below', width: size + 2 * CARD_AIR, height: Number.POSITIVE_INFINITY }, third);
  const leaves = least && { width: free.width - size - 2 * CARD_AIR, height: free.height - least.height };
  const hasRoomBeside =
    leaves && (!hasAnswers || leaves.width >= LEAST.width) && leaves.height >= LEAST_AROUND;
  return {
    height: free.height,
    cardIn: height => (hasRoomBeside ? besideIn(height) : undefined),
    leastCard: hasRoomBeside ? least.height : 0,
    isCardFirst: settings.qr === 'left',
    below: below && free.height - below.height >= 2 * LEAST.height ? below : undefined,
  };
}
