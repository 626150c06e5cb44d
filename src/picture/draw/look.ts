import type { Settings } from '../parameters.ts';
import type { OverlayWording } from '../wording.ts';
import type { Image } from './canvas.ts';
import type { CodeRun } from './part.ts';
import type { TypeSetter } from './type-setter.ts';

/** An image of the show. Its name is the same for the same content. */
export interface ShownImage {
  readonly image: Image;
  readonly name: string;
}

/** What an overlay shows or knows beside its poll. */
export interface Around {
  /** The relay or its engine is unreachable, so results may be stale. */
  readonly away: boolean;
  /** Title of the poll that the rundown has next; null for none, undefined where the rundown is unknown. */
  readonly next?: string | null | undefined;
  /** What people type in the chat of the show for each answer; empty while they cannot, absent without a chat. */
  readonly chatLabels?: readonly string[] | undefined;
  /** Milliseconds that votes count after their end on air. */
  readonly lateMs?: number | undefined;
  /** Site and join code, which a presenter reads out; undefined without a code. */
  readonly joinWords?: string | undefined;
}

/** The QR code of a voting address. */
export interface VoteCode {
  readonly address: string;
  /** Digits that people without a camera type on the home page; undefined without any. */
  readonly joinCode?: string | undefined;
  /** A sentence below the address. */
  readonly note?: string | undefined;
  /** Along each side, including the quiet zone. */
  readonly modules: number;
  readonly dark: readonly CodeRun[];
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
  /** The code is there before the opening, too: it leads to whatever poll its show has on air. */
  readonly isCodePermanent: boolean;
  readonly around: Around;
  /**
   * Which group or page of answers is shown, counting from 0; undefined for a picture that shows
   * the first ones only.
   */
  readonly turn: number | undefined;
  /** The winner has all of a full picture. */
  readonly winnerFills?: boolean | undefined;
  /** Ids of the answers in the order that they keep; by default that of the settings. */
  readonly order?: readonly string[] | undefined;
}
