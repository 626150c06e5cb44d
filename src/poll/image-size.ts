/** Reads the head bytes of images, so that none has to be decoded for its size. Pure, runs in browsers. */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
  /** Where the frame of a JPEG starts, behind the previews in its head. */
  readonly frameAt?: number;
}

/** As much as a screen of 4K can use. A larger image would take a phone's memory. */
export const MAX_SIDE = 4_096;
/** An image of an answer, as it is stored. It is never drawn larger than a quarter of a screen. */
export const MAX_ANSWER_IMAGE_BYTES = 200 * 1024;
/** In pixels. A larger image is scaled to the first of these with which it has few enough bytes. */
export const ANSWER_SIDES = [1_024, 720, 480, 320] as const;
/** Photos of phones have up to 24 megapixels and 8 MB. While one is decoded, it takes 4 bytes a pixel. */
export const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
export const MAX_PHOTO_PIXELS = 25_000_000;
export type ImageKind = 'png' | 'jpg' | 'webp';
export const IMAGE_TYPES: Readonly<Record<ImageKind, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
};

/** Returns the kind of an image by its first bytes; undefined for anything else. */
export function kindOf(bytes: Uint8Array): ImageKind | undefined {
  if (hasStart(bytes, PNG_START)) return 'png';
  if (hasStart(bytes, JPEG_START)) return 'jpg';
  return textIn(bytes, 0, 4) === 'RIFF' && textIn(bytes, 8, 15) === 'WEBPVP8' ? 'webp' : undefined;
}

/** Returns undefined if the image ends too early. */
export function sizeOf(bytes: Uint8Array, kind: ImageKind): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (kind === 'png') return { width: view.getUint32(16), height: view.getUint32(20) };
    return kind === 'jpg' ? sizeOfJpeg(view) : sizeOfWebp(view, textIn(bytes, 15, 16));
  } catch {
    return undefined;
  }
}

/** Returns the size of an image that may be decoded; undefined for what is no image, or too large. */
export function drawableSize(bytes: Uint8Array): ImageSize | undefined {
  const kind = kindOf(bytes);
  const size = kind && sizeOf(bytes, kind);
  return size && isDrawable(size) ? size : undefined;
}

export function isDrawable({ width, height }: ImageSize): boolean {
  return Math.min(width, height) >= 1 && Math.max(width, height) <= MAX_SIDE;
}

export function textIn(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

function hasStart(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}

/** The signature, and the head of the chunk that must be first: 13 bytes of `IHDR`. */
const PNG_START = [
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
];
const JPEG_START = [0xff, 0xd8, 0xff];

/** Follows the segments to the start of a frame. */
function sizeOfJpeg(view: DataView): ImageSize | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    // C4, C8 and CC are tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7), frameAt: at };
    // Any number of FF may precede a marker.
    at += marker === 0xff ? 1 : 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}

/** The first chunk is lossy, lossless, or the head of several. */
function sizeOfWebp(view: DataView, form: string): ImageSize | undefined {
  const uint24 = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  if (form === 'X') return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (form === ' ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (form !== 'L' || view.getUint8(20) !== 0x2f) return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
