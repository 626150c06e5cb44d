import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { create } from 'qrcode';

export interface QrCode {
  readonly text: string;
  /** Modules along each side, quiet zone included. */
  readonly modules: number;
  isDark(x: number, y: number): boolean;
}

const compress = promisify(deflate);

/** Modules of the quiet zone (ISO/IEC 18004). */
const EDGE = 4;

/** Choosing a mask takes milliseconds, and a code is asked for in many sizes. */
const codes = new LRUCache<string, QrCode>({ max: 1_000, memoMethod: encode });

/** Encodes with error correction of level M: a seventh of the code may be unreadable. */
export function qrCode(text: string): QrCode {
  return codes.memo(text);
}

function encode(text: string): QrCode {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const isInside = (at: number) => at >= EDGE && at < EDGE + size;
  return {
    text,
    modules: size + 2 * EDGE,
    isDark: (x, y) => isInside(x) && isInside(y) && data[(y - EDGE) * size + x - EDGE] === 1,
  };
}

/** Returns the runs of dark modules: column, row and length. */
function darkRuns({ modules, isDark }: QrCode): [x: number, y: number, width: number][] {
  const runs: [number, number, number][] = [];
  for (let y = 0; y < modules; y += 1) {
    for (let x = 0; x < modules; x += 1) {
      const from = x;
      while (isDark(x, y)) x += 1;
      if (x > from) runs.push([from, y, x - from]);
    }
  }
  return runs;
}

export function qrJson(code: QrCode): string {
  return JSON.stringify({ success: 1, address: code.text, modules: code.modules, dark: darkRuns(code) });
}

/** @param sizePx width and height; left out, it scales with its container */
export function qrSvg(code: QrCode, sizePx?: number): string {
  const { text, modules } = code;
  const path = darkRuns(code).map(([x, y, width]) => `M${x} ${y}h${width}v1H${x}z`);
  const size = sizePx === undefined ? '' : ` width="${sizePx}" height="${sizePx}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg"${size} viewBox="0 0 ${modules} ${modules}" shape-rendering="crispEdges"><title>${escapeXml(text)}</title><path fill="#fff" d="M0 0h${modules}v${modules}H0z"/><path fill="#000" d="${path.join('')}"/></svg>`;
}

/**
 * Draws a PNG with one bit a pixel, compressed by another thread: 2,048 pixels a side are a few
 * kilobytes. The package `qrcode` would hold this thread for a quarter of a second.
 */
export async function qrPng({ modules, isDark }: QrCode, sizePx: number): Promise<Buffer> {
  const stride = Math.ceil(sizePx / 8) + 1;
  const rows = Buffer.alloc(stride * sizePx);
  const moduleAt = (px: number) => Math.floor((px * modules) / sizePx);
  for (let y = 0; y < sizePx; y += 1) {
    const at = y * stride;
    if (y > 0 && moduleAt(y) === moduleAt(y - 1)) rows.copy(rows, at, at - stride, at);
    // After the filter byte, which stays 0 (none).
    else
      for (let x = 0; x < sizePx; x += 1)
        if (!isDark(moduleAt(x), moduleAt(y))) rows[at + 1 + (x >> 3)]! |= 0x80 >> (x & 7);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(sizePx, 0);
  head.writeUInt32BE(sizePx, 4);
  head[8] = 1;
  const chunks = [chunk('IHDR', head), chunk('IDAT', await compress(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([PNG_SIGNATURE, ...chunks]);
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, character => `&#${character.charCodeAt(0)};`);
}
