import type { Fill } from '../fill.ts';
import type { Settings } from '../parameters.ts';
import type { PictureRow } from '../picture.ts';
import type { Theme } from '../themes.ts';
import type { Bounds, Image } from './canvas.ts';
import type { Font } from './type-setter.ts';

/** Where and how a part is drawn. All of it moves when a picture changes. */
export interface Box extends Bounds {
  /** Opacity. */
  readonly alpha: number;
  /** Around its middle. */
  readonly scale: number;
  /**
   * A bar's filled part, from its end if negative. A figure's number. A ring's part of the circle.
   */
  readonly value: number;
  /** Where the part of a ring begins, from 0 to 1. */
  readonly start: number;
}

export type Align = 'start' | 'center' | 'end';

export interface Ink {
  readonly color: string;
  /** A badge has a ground of its own, so its text needs no outline. */
  readonly isPlain?: boolean | undefined;
}

export type Shape =
  | {
      readonly kind: 'plate';
      readonly color: string;
      readonly edge: string;
      /** The color of its edge while the box changes its size, as far as `value` says. */
      readonly accent: string;
      readonly radius: number;
      /** It casts a shadow, or fades into the video; a plain one does neither. */
      readonly rim: 'shadow' | 'soft' | 'plain';
    }
  /** What a row is on while it passes others; in front of them while `value` is above 0. */
  | {
      readonly kind: 'card';
      readonly color: string;
      readonly edge: string;
      readonly radius: number;
      /** How far the row grows while it is in front. */
      readonly growth: number;
    }
  | { readonly kind: 'box'; readonly fill: Fill; readonly radius: number; readonly edge?: string }
  /** With a gap, its inner end is flat and stands so far back from the bar that it meets. */
  | { readonly kind: 'bar'; readonly fill: Fill; readonly radius: number; readonly gap?: number }
  /** Grows upwards. */
  | { readonly kind: 'column'; readonly fill: Fill; readonly radius: number }
  /** What a bar or column fills; striped where there are no results to show. */
  | { readonly kind: 'track'; readonly color: string; readonly radius: number; readonly isStriped: boolean }
  | {
      readonly kind: 'pill';
      readonly text: string;
      /** The time that is left; empty for none. An edge drains with `value`. */
      readonly time: string;
      readonly font: Font;
      readonly timeFont: Font;
      readonly ground: string;
      /** Empty for none. */
      readonly edge: string;
      readonly ink: string;
      readonly radius: number;
      readonly mark: 'dot' | 'lock' | 'none';
    }
  | { readonly kind: 'ring'; readonly fill: Fill; readonly thickness: number; readonly seam: number }
  | (Ink & {
      readonly kind: 'text';
      readonly lines: readonly string[];
      readonly font: Font;
      readonly lineHeight: number;
      readonly align: Align;
    })
  | (Ink & {
      readonly kind: 'figure';
      readonly font: Font;
      readonly align: Align;
      readonly format: (value: number) => string;
    })
  /** A lost connection. */
  | { readonly kind: 'away'; readonly color: string }
  | { readonly kind: 'image'; readonly image: Image; readonly name: string }
  /** The picture of an answer, which covers the box; its color until that has come. */
  | {
      readonly kind: 'face';
      /** On the relay; undefined for an answer without one. */
      readonly path: string | undefined;
      readonly focus: PictureRow['imageFocus'];
      /** In units, whatever the box is while it moves. */
      readonly size: readonly [width: number, height: number];
      readonly color: string;
      readonly edge: string | undefined;
      readonly radius: number;
    }
  | { readonly kind: 'code'; readonly dark: readonly CodeRun[]; readonly modules: number }
  /** A light that crosses a box once, while `value` goes from 0 to 1. */
  | { readonly kind: 'sweep'; readonly radius: number };

/** Dark modules of a QR code in one row. */
export type CodeRun = readonly [x: number, y: number, width: number];

export interface Part {
  /** The same in two pictures: the part moves. Otherwise one leaves and the other enters. */
  readonly key: string;
  readonly shape: Shape;
  readonly at: Box;
  /** Parts with a higher order are in front. */
  readonly order: number;
  /** Answer that this part belongs to, or appears together with. */
  readonly row?: string;
  /** Belongs to the row itself: in a reveal it leaves and enters again. */
  readonly isOfRow?: boolean;
  /** Moves with the card of its row. */
  readonly isOnCard?: boolean;
  /** Is seen only while a step of a reveal opens its row. */
  readonly isOfStep?: boolean;
  /** The place of a row on the picture, from 0; its card has it. */
  readonly rank?: number;
  /** Belongs to the poll, so it leaves with it, and another poll has its own. */
  readonly isContent?: boolean;
  /** Lines begin on the right. */
  readonly isRtl?: boolean;
  /** That of its picture. */
  readonly theme?: Theme;
  /** Key of the box that it is cut off by while that moves. */
  readonly within?: string;
  /** Key of what hides it completely, once that has come. */
  readonly coveredBy?: string | undefined;
  /** Where it enters from. */
  readonly from?: Partial<Box>;
  /** Milliseconds after the others of its row. */
  readonly lagMs?: number;
  /** Duration in place of the usual. */
  readonly ms?: number;
}

/** Orders from back to front. */
export const order = {
  screen: -1,
  image: -0.5,
  plate: 0,
  ground: 1,
  card: 1.5,
  winner: 2,
  track: 3,
  bar: 4,
  text: 5,
  badge: 6,
  light: 7,
  mark: 9,
  /** Added to what is on the plate of a winner. */
  won: 10,
};

export function boxAt(x: number, y: number, width: number, height: number, more: Partial<Box> = {}): Box {
  return { x, y, width, height, alpha: 1, scale: 1, value: 0, start: 0, ...more };
}

export function grownBy({ x, y, width, height }: Box, airX: number, airY: number): Box {
  return boxAt(x - airX, y - airY, width + 2 * airX, height + 2 * airY);
}

/** What is drawn, and where. */
export type Drawing = Pick<Part, 'shape' | 'at'>;

/** @param more has another order, for what is not a text */
export function part(key: string, { shape, at }: Drawing, more: Partial<Part> = {}): Part {
  return { key, shape, at, order: order.text, ...more };
}

export function box(at: Box, fill: Fill, radius = 0): Drawing {
  return { at, shape: { kind: 'box', fill, radius } };
}

interface Written extends Ink {
  readonly lines: readonly string[];
  readonly font: Font;
  /** Default: that of the box, for one line. */
  readonly lineHeight?: number;
  readonly align?: Align;
}

export function text(at: Box, written: Written): Drawing {
  const { lines, font, lineHeight = at.height, color, align = 'start', isPlain } = written;
  return { at, shape: { kind: 'text', lines, font, lineHeight, color, align, isPlain } };
}

export function platePart(
  key: string,
  at: Box,
  { theme: name, plate: own }: Settings,
  { plate: color, edge, accent, radius }: Theme,
): Part {
  const isSoft = name === 'outline' && own === null;
  const rim = isSoft ? 'soft' : name === 'dark' || name === 'light' ? 'shadow' : 'plain';
  const shape = { kind: 'plate', color, edge, accent, radius, rim } as const;
  return part(key, { at, shape }, { order: order.plate });
}

/** Moves what is laid out from x = 0. */
export function moved(parts: readonly Part[], x: number): Part[] {
  return parts.map(({ from, ...part }) => ({
    ...part,
    at: { ...part.at, x: part.at.x + x },
    ...(from && { from: from.x === undefined ? from : { ...from, x: from.x + x } }),
  }));
}
