import { crc32, deflateSync } from 'node:zlib';

/** Images for tests, each with the pixels that are asked for. */

/** An opaque PNG of one color. @param more bytes of a text in it, which only makes it larger */
export function png(width: number, height: number, rgb = [255, 80, 0], more = 0): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, Buffer.from(rgb))]);
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const text = more > 0 ? [chunk('tEXt', Buffer.alloc(more, 'Comment\0x'))] : [];
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    ...text,
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A JPEG without its scan: up to the start of its frame, behind a table and a comment, and its end. */
export function jpegHead(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc0000b080000000001011100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const table = 'ffc400040000fffe0005414243';
  return Buffer.concat([Buffer.from(`ffd8${table}ff`, 'hex'), frame, Buffer.from('ffd9', 'hex')]);
}

export function webpHead(form: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(32, 4);
  bytes.write(`WEBP${form}`, 8, 'latin1');
  if (form === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  } else if (form === 'VP8L') {
    bytes.writeUInt8(0x2f, 20);
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  } else {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  }
  return bytes;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
