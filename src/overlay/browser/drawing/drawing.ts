import type { Settings } from '../../../picture/parameters.ts';
import type { Picture } from '../../../picture/picture.ts';
import { isLongCount, type OverlayWording } from '../../../picture/wording.ts';
import type { Figures } from './figures.ts';
import type { Motion } from './motion.ts';

/** In units: pixels of a 1080p picture, which scales to the screen. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Heights of a body, in units. */
export interface Heights {
  readonly least: number;
  /** With this much, all answers have room. */
  readonly preferred: number;
}

/** What the body of a panel may occupy. */
export interface Room extends Size {
  /** Long counts are written in few digits. */
  readonly compact: boolean;
}

export interface DrawingTools {
  readonly settings: Settings;
  readonly wording: OverlayWording;
  readonly figures: Figures;
}

/** What an overlay shows or knows beside its poll. */
export interface Surroundings {
  /** The relay or its engine is unreachable, so results may be stale. */
  readonly away: boolean;
  /** Title of the poll that the run-down has next; null for none, undefined where the run-down is unknown. */
  readonly next?: string | null | undefined;
}

/** A style: draws results into the body of a panel. */
export interface Drawing {
  /** The largest type of an answer, in units. A title is never smaller. */
  readonly answerSize: number;
  preferredWidth(answers: number): number;
  /** @param width of the body */
  heights(answers: readonly string[], width: number): Heights;
  /** Returns how many answers fit, at least 1. */
  fit(room: Room): number;
  /** Draws one picture without moving layout. Returns the CSS pixels that the longest answer lacks at its largest size, or 0. */
  draw(picture: Picture, room: Room, motion: Motion): number;
  /** Takes what is around the poll, before it is laid out. */
  setSurroundings?(surroundings: Surroundings): void;
  close?(): void;
}

export type DrawingFactory = (body: HTMLElement, tools: DrawingTools) => Drawing;

/** Returns a key of everything that limits the width of an answer, for `fitText`. */
export function roomKey(room: Room, { moment, mostVotes }: Picture): string {
  return `${room.width} ${room.compact} ${moment} ${`${mostVotes}`.length}`;
}

export function writesCompact(room: Room, { mostVotes }: Picture): boolean {
  return room.compact && isLongCount(mostVotes);
}
