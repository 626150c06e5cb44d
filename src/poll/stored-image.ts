import { hash } from 'node:crypto';
import {
  ANSWER_SIDES,
  type ImageKind,
  type ImageSize,
  isDrawable,
  kindOf,
  MAX_ANSWER_IMAGE_BYTES,
  MAX_PHOTO_PIXELS,
  MAX_SIDE,
  sizeOf,
  textIn,
} from './image-size.ts';
import type { EncodedImage } from './poll.ts';
import { PollError } from './poll-error.ts';

/**
 * Images that a relay stores and serves: checked by their bytes and named after their hash, so that
 * a name always has the same content. Only head bytes are parsed.
 */

export interface StoredImage {
  /** SHA-256 of the bytes, hex, and the extension of its kind. */
  readonly file: string;
  readonly bytes: Buffer;
}

const CUT_OFF = 'This image is cut off, or has other data behind it. Save it again as PNG, JPEG or WebP.';

/**
 * @param path of the image in the request, for the error
 * @throws PollError `unsupported_media_type` unless it is a still PNG, JPEG or WebP image,
 *   `invalid_request` if it is too large
 */
export function readImage(bytes: Buffer, path: string): StoredImage {
  const { kind, size } = readHead(bytes);
  if (!endsWhole(bytes, kind)) throw unsupported(CUT_OFF);
  if (!isDrawable(size)) throw tooLarge(path, `at most ${MAX_SIDE} pixels wide and high`, size);
  return { file: `${hash('sha256', bytes)}.${kind}`, bytes };
}

/**
 * Reads the image of a question or an answer. One that is too large to be stored is scaled, without
 * the data behind a photo.
 *
 * @param scale resolves with undefined for an image that cannot be decoded
 * @throws PollError as `readImage`
 */
export async function readPollImage(
  bytes: Buffer,
  scale: (photo: Buffer) => Promise<Buffer | undefined>,
): Promise<StoredImage> {
  const { kind, size } = readHead(bytes);
  const { width, height, frameAt } = size;
  if (bytes.length <= MAX_ANSWER_IMAGE_BYTES && Math.max(width, height) <= ANSWER_SIDES[0])
    return readImage(bytes, 'image');
  if (kind === 'jpg' ? bytes.indexOf(JPEG_END, frameAt) < 0 : !endsWhole(bytes, kind))
    throw unsupported(CUT_OFF);
  if (width * height > MAX_PHOTO_PIXELS)
    throw tooLarge('image', `at most ${MAX_PHOTO_PIXELS / 1e6} megapixels`, size);
  const scaled = width * height > 0 ? await scale(bytes) : undefined;
  if (scaled) return readImage(scaled, 'image');
  throw unsupported('This image cannot be decoded. Save it again as PNG, JPEG or WebP.');
}

function readHead(bytes: Buffer): { readonly kind: ImageKind; readonly size: ImageSize } {
  const kind = kindOf(bytes);
  const size = kind && sizeOf(bytes, kind);
  if (!kind || !size)
    throw unsupported('This is no PNG, JPEG or WebP image. Send the bytes of the file as the body.');
  if (isAnimated(bytes, kind))
    throw unsupported('This image is animated. Send a still PNG, JPEG or WebP image.');
  return { kind, size };
}

function unsupported(message: string): PollError {
  return new PollError('unsupported_media_type', { message });
}

function tooLarge(path: string, most: string, { width, height }: ImageSize): PollError {
  const message = `must be ${most}; it is ${width} × ${height}`;
  return new PollError('invalid_request', { issues: [{ path, message }] });
}

export function encodeImage({ file, bytes }: StoredImage): EncodedImage {
  return { file, data: bytes.toString('base64') };
}

/**
 * The head of a chunk of 8 bytes that all animations have. Searched for anywhere, because a chunk
 * of text could imitate the end of a search.
 */
const APNG_CHUNK = Buffer.from('\0\0\0\x08acTL', 'latin1');

/** The chunk that ends a PNG, with its checksum. */
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const JPEG_END = Buffer.of(0xff, 0xd9);

/** A file that is an image and something else would go on behind the image. */
function endsWhole(bytes: Buffer, kind: ImageKind): boolean {
  if (kind === 'webp') return bytes.readUInt32LE(4) + 8 === bytes.length;
  const end = kind === 'png' ? PNG_END : JPEG_END;
  return bytes.subarray(-end.length).equals(end);
}

/**
 * The size of an image says nothing about the number of its frames, and each costs the phones of an
 * audience time and memory.
 */
function isAnimated(bytes: Buffer, kind: ImageKind): boolean {
  if (kind === 'png') return bytes.includes(APNG_CHUNK);
  return kind === 'webp' && textIn(bytes, 15, 16) === 'X' && (bytes.readUInt8(20) & 0x02) !== 0;
}
