/** One picture of an animation, as a WebP file of its own. */
export interface Frame {
  readonly webp: Buffer;
  readonly durationMs: number;
}

const HAS_ANIMATION = 2;
/** A frame takes the place of what is there, and is not mixed with it. */
const REPLACES = 2;

/** Joins pictures of one size into an animated WebP that goes on for ever (RFC 9649, section 2.7). */
export function joinFrames(
  frames: readonly Frame[],
  { width, height }: { width: number; height: number },
): Buffer {
  const size = Buffer.concat([uint(width - 1, 3), uint(height - 1, 3)]);
  const head = chunk('VP8X', Buffer.concat([uint(HAS_ANIMATION, 1), uint(0, 3), size]));
  const control = chunk('ANIM', Buffer.concat([uint(0, 4), uint(0, 2)]));
  const pictures = frames.map(({ webp, durationMs }) => {
    const place = Buffer.concat([uint(0, 6), size, uint(Math.round(durationMs), 3), uint(REPLACES, 1)]);
    return chunk('ANMF', Buffer.concat([place, pixelsOf(webp)]));
  });
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), head, control, ...pictures]));
}

/** The chunks of a still WebP that hold its pixels. */
function pixelsOf(webp: Buffer): Buffer {
  const kept: Buffer[] = [];
  for (let at = 12; at < webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (/^(VP8 |VP8L|ALPH)$/.test(webp.toString('latin1', at, at + 4))) kept.push(webp.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

function chunk(name: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), uint(data.length, 4), data, Buffer.alloc(data.length % 2)]);
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (bytes > 0 && value > 0) buffer.writeUIntLE(value, 0, Math.min(6, bytes));
  return buffer;
}
