import type { Settings } from '../../parameter/read-parameters.ts';
import type { Picture } from '../../picture/picture.ts';
import { isLongCount, type OverlayWording } from '../../picture/wording.ts';
import type { Figures } from './figures.ts';
import type { Motion } from './motion.ts';

/** Lengths are pixels of a picture that is 1080 high. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What the body of a panel may take. */
export interface Room extends Size {
  /** Long counts are to be written in few digits. */
  readonly compact: boolean;
}

/** Whatever decides how much of its room a name has, for `fitText`. */
export function roomKey(room: Room, { moment, mostVotes }: Picture): string {
  return `${room.width} ${room.compact} ${moment} ${`${mostVotes}`.length}`;
}

/** Figures beside each other are written alike. */
export function writesCompact(room: Room, { mostVotes }: Picture): boolean {
  return room.compact && isLongCount(mostVotes);
}

/** What a style is given to draw with. */
export interface DrawingTools {
  readonly settings: Settings;
  readonly wording: OverlayWording;
  readonly figures: Figures;
}

/** One way to draw results. A style owns the body of the panel and nothing else. */
export interface Drawing {
  /** How wide the panel likes to be for so many answers. */
  preferredWidth(answers: number): number;
  /** How many answers the body has room for; at least 1. */
  fit(room: Room): number;
  /**
   * Draws one picture. Moves by `transform` (the ring of the donut by its dashes), never by layout. `room` is what the body
   * may take.
   *
   * @returns by how many CSS pixels the longest answer lacks width at its largest size; 0 where all have enough
   */
  draw(picture: Picture, room: Room, motion: Motion): number;
  /** Ends what runs by itself. */
  close?(): void;
}

export type DrawingFactory = (body: HTMLElement, tools: DrawingTools) => Drawing;
