import type { Settings } from '../parameters.ts';
import type { OverlayWording } from '../wording.ts';
import type { Around } from './body.ts';
import type { Image } from './canvas.ts';
import type { VoteCode } from './code.ts';
import type { TypeSetter } from './type-setter.ts';

/** An image of the show. Its name is the same for the same content. */
export interface ShownImage {
  readonly image: Image;
  readonly name: string;
}

/** Everything that a picture depends on beside its poll. */
export interface Look {
  readonly settings: Settings;
  readonly wording: OverlayWording;
  readonly type: TypeSetter;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly logo: ShownImage | undefined;
  /** Behind a full picture. */
  readonly ground: ShownImage | undefined;
  readonly code: VoteCode | undefined;
  /** The code stays after the poll closes, because it leads to a show's next poll. */
  readonly isCodePermanent: boolean;
  readonly around: Around;
  /**
   * Which group or page of answers is shown, counting from 0; undefined for a picture that shows
   * the first ones only.
   */
  readonly turn: number | undefined;
}

export interface Area {
  readonly width: number;
  readonly height: number;
}
