import { hash } from 'node:crypto';
import type { EncodedImage } from './poll.ts';
import { PollError } from './poll-error.ts';

/**
 * Images that a relay stores and serves: checked by their bytes and named after their hash, so that a name always has the same content.
 * Only head bytes are parsed: no server decodes an image.
 */

export interface StoredImage {
  /** SHA-256 of the bytes, hex, and the extension of its kind. */
  readonly file: string;
  readonly bytes: Buffer;
}

export const MAX_ANSWER_IMAGE_BYTES = 200 * 1024;
/** As much as a screen of 4K can use. A larger image would take a phone's memory. */
const MAX_SIDE = 4_096;
const TYPES = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const;
export const IMAGE_FILE = /^[0-9a-f]{64}\.(png|jpg|webp)$/;

type Kind = keyof typeof TYPES;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * @param path of the image in the request, for the error
 * @throws PollError `unsupported_media_type` unless it is a still PNG, JPEG or WebP image, `invalid_request` if it is too large
 */
export function readImage(bytes: Buffer, path: string): StoredImage {
  const kind = (Object.keys(TYPES) as Kind[]).find(one => hasStart(bytes, one));
  const size = kind && sizeOf(bytes, kind);
  if (!kind || !size)
    throw new PollError('unsupported_media_type', {
      message: 'This is no PNG, JPEG or WebP image. Send the bytes of the file as the body.',
    });
  if (isAnimated(bytes, kind))
    throw new PollError('unsupported_media_type', {
      message: 'This image is animated. Send a still PNG, JPEG or WebP image.',
    });
  if (!endsWhole(bytes, kind))
    throw new PollError('unsupported_media_type', {
      message: 'This image is cut off, or has other data behind it. Save it again as PNG, JPEG or WebP.',
    });
  const { width, height } = size;
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_SIDE) {
    const message = `must be at most ${MAX_SIDE} pixels wide and high; it is ${width} × ${height}`;
    throw new PollError('invalid_request', { issues: [{ path, message }] });
  }
  return { file: `${hash('sha256', bytes)}.${kind}`, bytes };
}

export function encodeImage({ file, bytes }: StoredImage): EncodedImage {
  return { file, data: bytes.toString('base64') };
}

/** The headers of an image: pages of every origin may draw it, and opened by itself it runs nothing. */
export function imageHeaders(file: string): Readonly<Record<string, string>> {
  const [, kind] = IMAGE_FILE.exec(file) as unknown as [string, Kind];
  return {
    'content-type': TYPES[kind],
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  };
}

function hasStart(bytes: Buffer, kind: Kind): boolean {
  if (kind === 'png') return bytes.subarray(0, 16).equals(PNG_START);
  if (kind === 'jpg') return bytes.subarray(0, 3).equals(JPEG_START);
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 15) === 'WEBPVP8';
}

/** The signature, and the head of the chunk that must be first: 13 bytes of `IHDR`. */
const PNG_START = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
/** The head of a chunk of 8 bytes that all animations have. Searched for anywhere, because a chunk of text could imitate the end of a search. */
const APNG_CHUNK = Buffer.from('\0\0\0\x08acTL', 'latin1');
const JPEG_START = Buffer.of(0xff, 0xd8, 0xff);

/** The chunk that ends a PNG, with its checksum. */
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const JPEG_END = Buffer.of(0xff, 0xd9);

/** A file that is an image and something else would go on behind the image. */
function endsWhole(bytes: Buffer, kind: Kind): boolean {
  if (kind === 'webp') return bytes.readUInt32LE(4) + 8 === bytes.length;
  const end = kind === 'png' ? PNG_END : JPEG_END;
  return bytes.subarray(-end.length).equals(end);
}

/** @returns undefined if the image ends too early */
function sizeOf(bytes: Buffer, kind: Kind): Size | undefined {
  try {
    if (kind === 'png') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    return kind === 'jpg' ? sizeOfJpeg(bytes) : sizeOfWebp(bytes);
  } catch {
    return undefined;
  }
}

/** The size of an image says nothing about the number of its frames, and each costs the phones of an audience time and memory. */
function isAnimated(bytes: Buffer, kind: Kind): boolean {
  if (kind === 'png') return bytes.includes(APNG_CHUNK);
  return kind === 'webp' && bytes.toString('latin1', 15, 16) === 'X' && (bytes.readUInt8(20) & 0x02) !== 0;
}

/** Follows the segments to the start of a frame. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; bytes.readUInt8(at) === 0xff; ) {
    const marker = bytes.readUInt8(at + 1);
    // C4, C8 and CC are tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    // Any number of FF may precede a marker.
    at += marker === 0xff ? 1 : 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

/** The first chunk is lossy, lossless, or the head of several. */
function sizeOfWebp(bytes: Buffer): Size | undefined {
  const form = bytes.toString('latin1', 15, 16);
  if (form === 'X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === ' ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (form !== 'L' || bytes.readUInt8(20) !== 0x2f) return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
