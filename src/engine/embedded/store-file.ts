import { chmodSync, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '../archive.ts';

/** Of the two pages that every file of LMDB begins with, as lmdb 3 writes them: where what is, in bytes. */
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;

const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
const OF_OTHERS = 0o077;
/** Of a folder that everybody shares, as /tmp. */
const STICKY = 0o1000;

/** The one file that holds everything. */
export function storeIn(directory: string): string {
  return join(directory, STORE_FILE);
}

/**
 * Closes the folder and its files to other users of the machine: the secret by which voters are recognized is inside.
 * What belongs to another user, or lies on a file system without permissions, stays as it is.
 */
export function closeToOthers(directory: string): void {
  for (const [path, mode] of placesIn(directory))
    try {
      const { uid, mode: found } = statSync(path);
      if (uid === process.getuid?.() && isOpen(found) && !(found & STICKY)) chmodSync(path, mode);
    } catch {
      // Not there yet, or not ours to change: `isOpenToOthers` says so.
    }
}

/** Whether other users of the machine may enter the folder or read its files. Always false on Windows, which has other rules. */
export function isOpenToOthers(directory: string): boolean {
  if (process.platform === 'win32') return false;
  return placesIn(directory).some(([path]) => isOpen(statSync(path, { throwIfNoEntry: false })?.mode ?? 0));
}

function placesIn(directory: string): [path: string, mode: number][] {
  const store = storeIn(directory);
  return [
    [directory, PRIVATE_FOLDER],
    [store, PRIVATE_FILE],
    [`${store}-lock`, PRIVATE_FILE],
  ];
}

function isOpen(mode: number): boolean {
  return (mode & OF_OTHERS) !== 0;
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
