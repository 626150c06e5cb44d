import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '../archive.ts';

/** Of the two pages that every file of LMDB begins with, as lmdb 3 writes them: where what is, in bytes. */
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;

/** The one file that holds everything. */
export function storeIn(directory: string): string {
  return join(directory, STORE_FILE);
}

/**
 * LMDB trusts its file, and the process dies where that is another one, or was cut off.
 *
 * @param isCopy made by LMDB: then all pages that there are have been written
 * @throws Error where it is none, or not whole. That there is no file, or an empty one, is as it should be
 */
export function requireSound(path: string, isCopy: boolean): void {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    if (size === 0 && !isCopy) return;
    const first = readMeta(file, 0);
    if (first?.readUInt32LE(MAGIC_AT) !== MAGIC) throw new Error('its file is none of this program');
    if (!isCopy) return;
    const pageBytes = first.readUInt32LE(PAGE_SIZE_AT);
    const second = readMeta(file, pageBytes);
    const last = Math.max(lastPageIn(first), second ? lastPageIn(second) : 0);
    if (!second || size < (last + 1) * pageBytes) throw new Error('its file is cut off');
  } finally {
    closeSync(file);
  }
}

function readMeta(file: number, at: number): Buffer | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  return readSync(file, bytes, 0, META_BYTES, at) === META_BYTES ? bytes : undefined;
}

function lastPageIn(meta: Buffer): number {
  return Number(meta.readBigUInt64LE(LAST_PAGE_AT));
}
