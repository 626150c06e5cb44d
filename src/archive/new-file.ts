import { createWriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ArchiveFault } from './archive-line.ts';

/** What is in an archive is for its owner alone. */
const OWNER_ONLY = 0o600;
const MASK = 0o077;

/**
 * Writes a file that is there under its name only when it is whole and on the disk.
 *
 * @param write writes another name beside it, and resolves to false where it has written nothing
 * @throws ArchiveFault where there is a file of that name
 */
export async function writeNew<T>(path: string, write: (part: string) => Promise<T>): Promise<T> {
  const part = `${path}.part-${process.pid}`;
  const before = process.umask(MASK);
  try {
    if (await isThere(path)) throw new ArchiveFault(`There is a file ${path} already`);
    // LMDB would make it.
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
    throw refusal(path, error as NodeJS.ErrnoException);
  } finally {
    process.umask(before);
    await rm(part, { force: true });
  }
}

/** @param target the path of a file that is not there, or a stream that stays open */
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

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EACCES: 'this process may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'no room is left on its disk',
};

function refusal(path: string, error: NodeJS.ErrnoException): Error {
  const reason = REASONS[error.code ?? ''];
  return reason ? new ArchiveFault(`${path} cannot be written: ${reason}`, { cause: error }) : error;
}
