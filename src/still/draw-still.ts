import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import type { Canvas2D, Image } from '../picture/draw/canvas.ts';
import { Film, STILL } from '../picture/draw/film.ts';
import { backdropOf, type Laid, layOut } from '../picture/draw/lay-out.ts';
import type { Look } from '../picture/draw/look.ts';
import { paint } from '../picture/draw/paint.ts';
import { TypeSetter } from '../picture/draw/type-setter.ts';
import { isFull, type Settings } from '../picture/parameters.ts';
import type { PollSnapshot } from '../picture/picture.ts';
import { OverlayWording } from '../picture/wording.ts';
import { FAMILIES } from './fonts.ts';
import type { CanvasModule, ImageFile, Images } from './images.ts';

/** Everything that a picture depends on. */
export interface Still {
  readonly poll: PollSnapshot;
  readonly settings: Settings;
  /** The winner has all of the picture, if there is one. */
  readonly winnerFills?: boolean;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Logo of the show that owns the poll. */
  readonly logo?: ImageFile | undefined;
  readonly ground?: ImageFile | undefined;
  readonly faces?: readonly ImageFile[] | undefined;
  /** An image was missing, so the picture is not kept. */
  readonly lacksImages?: boolean;
}

/**
 * A picture has few answers more often than not, and no other content: the panel grows while
 * everything in it keeps its size.
 */
const LARGEST_SCALE = 2;
const SCALE_STEP = 0.125;
/** Pixels of the shorter side. A ground covers the largest picture. */
const LOGO_SIDE = 512;
const GROUND_SIDE = 1_920;

/** Returns what measures and breaks the texts of stills. It keeps what it has measured. */
export function openTypeSetter(module: CanvasModule): TypeSetter {
  return new TypeSetter(module.createCanvas(1, 1).getContext('2d'), FAMILIES);
}

/**
 * Draws the panel of an overlay in the middle of a picture, as large as its content allows. Nothing
 * in it depends on the time, because a picture is kept.
 *
 * @param endMs of `performance.now()`, when no further image is decoded
 * @returns a PNG; undefined if more images are to be decoded
 */
export async function drawStill(
  { poll, settings, winnerFills, width, height, faces = [], ...files }: Still,
  module: CanvasModule,
  type: TypeSetter,
  images: Images,
  endMs = Number.POSITIVE_INFINITY,
): Promise<Buffer | undefined> {
  const logo = files.logo && (await images.find(files.logo, LOGO_SIDE));
  const ground = files.ground && (await images.find(files.ground, GROUND_SIDE));
  const canvas = module.createCanvas(width, height);
  const context: Canvas2D = canvas.getContext('2d');
  const look: Look = {
    settings: {
      ...settings,
      align: 'center',
      valign: 'middle',
      width: null,
      size: 100,
      margin: 5,
      countdown: false,
    },
    wording: new OverlayWording(settings.lang ?? 'en', settings.decimals),
    type,
    width,
    height,
    logo: logo && { image: drawable(logo), name: '' },
    ground: ground && { image: drawable(ground), name: '' },
    code: undefined,
    isCodePermanent: false,
    around: { away: false },
    turn: undefined,
    winnerFills,
  };
  const laid = layOutStill(poll, look);
  const film = new Film();
  film.show(laid.parts, 0, STILL);
  context.fillStyle = backdropOf(settings);
  context.fillRect(0, 0, width, height);
  const { unitPx } = laid;
  context.scale(unitPx, unitPx);
  const decoded = await images.findFaces(laid.parts, unitPx, faces, endMs);
  if (!decoded) return undefined;
  paint(context, film.at(0), { type, unitPx, faces: decoded });
  return canvas.toBuffer('image/png');
}

/** Lays out all answers that can be read, in the largest type in which they fit. */
export function layOutStill(poll: PollSnapshot, look: Look): Laid {
  // Long before any deadline: a picture that is kept counts no seconds down.
  const nowMs = Number.NEGATIVE_INFINITY;
  const full = { ...look.settings, scene: 'full', style: 'bars' } as const;
  const winner = look.winnerFills ? layOut(poll, { ...look, settings: full }, nowMs) : undefined;
  if (winner?.isWinner) return winner;
  const usual = layOut(poll, look, nowMs);
  // A full picture fills it at any scale.
  const largest = isFull(look.settings) ? 1 : LARGEST_SCALE;
  for (let scale = largest; scale > 1; scale -= SCALE_STEP) {
    const laid = layOut(poll, look, nowMs, scale);
    if (laid.isWhole && laid.fits && slotsOf(laid) >= slotsOf(usual)) return laid;
  }
  return usual;
}

/** How many answers have room. */
function slotsOf({ picture }: Laid): number {
  return picture?.slots ?? 0;
}

function drawable(image: Canvas): Image {
  return {
    width: image.width,
    height: image.height,
    draw: (context, x, y, width, height) => (context as SKRSContext2D).drawImage(image, x, y, width, height),
  };
}
