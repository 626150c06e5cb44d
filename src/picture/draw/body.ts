import type { Size } from '../logo-size.ts';
import type { Settings } from '../parameters.ts';
import type { Picture, PictureRow, PollSnapshot } from '../picture.ts';
import { styleTraits } from '../styles.ts';
import type { Theme } from '../themes.ts';
import type { Look } from './look.ts';
import type { Part } from './part.ts';

/** What the bodies of all styles have in common. */

export interface Room {
  readonly width: number;
  readonly height: number;
  /** Long counts are written in few digits. */
  readonly isCompact: boolean;
  /** Rows may be as low as can be read, because answers would be left out otherwise. */
  readonly isTight?: boolean | undefined;
  /** Answers grow until they fill the room. */
  readonly isFull?: boolean | undefined;
  /** A picture that is higher than wide has all answers below each other. */
  readonly isUpright?: boolean | undefined;
  /** Answers are no larger than the question above them. */
  readonly mostText?: number | undefined;
}

/** A poll that is to be laid out. */
export interface Asked extends Look {
  readonly poll: PollSnapshot;
  readonly theme: Theme;
  /** The room for all of it. */
  readonly free: Size;
  /** Server time. */
  readonly nowMs: number;
}

export function isUpright({ width, height }: Size): boolean {
  return height > width;
}

/** The answers that the settings ask for, in the order of the poll. */
export function answersOf({ poll, settings }: Pick<Asked, 'poll' | 'settings'>): string[] {
  return poll.poll_answers.slice(0, settings.top ?? undefined).map(({ answer }) => answer);
}

export interface Composed extends Asked {
  readonly picture: Picture;
}

export interface Task extends Composed {
  readonly room: Room;
}

/** A body that is laid out. */
export interface Body {
  readonly height: number;
  /** Everything is at its largest. */
  readonly isWhole: boolean;
  /** A text has lost letters. */
  readonly isCut: boolean;
  /** A name is broken. */
  readonly isBroken?: boolean;
  /** Size of the answers, which the question must not exceed by far. */
  readonly answerSize: number;
  /** How many groups take turns; 1 for all styles but the ticker. */
  readonly turns?: number;
  /** The group that is shown, counting from 0. */
  readonly turn?: number;
  /** The parts below `top`. The body begins at x = 0. */
  parts(top: number): Part[];
}

export interface Style {
  /** The largest type of an answer. */
  readonly answerSize: number;
  preferredWidth(answers: number): number;
  /** So far answers alone widen a panel; by default not at all. */
  readonly widest?: number;
  /** Heights that the body needs at least, and for everything. */
  heights(answers: readonly string[], width: number): { readonly least: number; readonly preferred: number };
  /** How many answers fit, at least 1. */
  fit(room: Room): number;
  layOut(task: Task): Body;
}

export const NOTHING: Body = { height: 0, isWhole: true, isCut: false, answerSize: 0, parts: () => [] };

/** Whether figures of the row are drawn. */
export function hasFigures({ isRevealed }: PictureRow, { moment }: Picture): boolean {
  return isRevealed && moment !== 'upcoming';
}

/** Whether no row has figures. */
export function isBlank(picture: Picture): boolean {
  return !picture.rows.some(row => hasFigures(row, picture));
}

/** Some places of a hidden poll are revealed, others not. */
export function isStepped({ moment, revealedFrom }: Picture): boolean {
  return moment === 'hidden' && revealedFrom !== undefined;
}

/** Whether a reveal by steps has two answers left. */
export function hasLastTwo(picture: Picture): boolean {
  return isStepped(picture) && picture.unrevealed === 2;
}

/** Whether viewers see the row already, which a presenter's screen marks before the reveal is complete. */
export function isSeen(row: PictureRow, { secret }: Picture, { style }: Settings): boolean {
  return secret && row.isPublic && styleTraits[style].isOffAir === true;
}

/** Whether a picture has a place for the picture of each answer. */
export function hasFaces({ rows }: Picture): boolean {
  return rows.some(({ image }) => image !== undefined);
}
