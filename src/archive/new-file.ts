import { createWriteStream, existsSync } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ArchiveFault } from './archive-schema.ts';

/** An archive contains secrets. */
const OWNER_ONLY = 0o600;
const MASK = 0o077;

/**
 * Writes a file under a temporary name, and renames it once it is on the disk.
 * @param write resolves to false if it has written nothing @throws ArchiveFault
 */
export async function writeNew<T>(path: string, write: (part: string) => Promise<T>): Promise<T> {
  const part = `${path}.part-${process.pid}`;
  const before = process.umask(MASK);
  try {
    if (existsSync(path)) throw new ArchiveFault(`${path} already exists`);
    // LMDB would create a missing folder.
    await access(dirname(path));
    const written = await write(part);
    if (written === false) return written;
    const file = await open(part, 'r+');
    await file.chmod(OWNER_ONLY);
    await file.sync();
    await file.close();
    await rename(part, path);
    return written;
  } catch (error) {
    throw writeFault(path, error as NodeJS.ErrnoException);
  } finally {
    process.umask(before);
    await rm(part, { force: true });
  }
}

/** @param target path of a new file, or a stream that stays open */
export async function writeText(
  text: AsyncIterable<string>,
  target: string | Writable,
  isCompressed: boolean,
): Promise<true> {
  const source = Readable.from(text);
  if (typeof target !== 'string') await pipeline(source, target, { end: false });
  else {
    const file = createWriteStream(target, { flags: 'wx', mode: OWNER_ONLY });
    if (isCompressed) await pipeline(source, createGzip(), file);
    else await pipeline(source, file);
  }
  return true;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

function writeFault(path: string, error: NodeJS.ErrnoException): Error {
  const reason = REASONS[error.code ?? ''];
  return reason ? new ArchiveFault(`${path} cannot be written: ${reason}`, { cause: error }) : error;
}
