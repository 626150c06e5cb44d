import { constants } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STORE_FILE } from '../engine/archive.ts';
import { openEngine } from '../engine/open-engine.ts';
import { itemsOf, kindOfFile, readLines } from './archive-file.ts';
import { ArchiveFault, type ArchiveItem } from './archive-line.ts';

/** A file that can be read again and again. */
export interface OpenedArchive {
  readonly items: () => AsyncIterable<readonly ArchiveItem[]>;
  close(): Promise<void>;
}

/** An export, or the embedded engine's own copy. @throws ArchiveFault where it is neither */
export async function openArchive(path: string): Promise<OpenedArchive> {
  const kind = await kindOfFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new ArchiveFault(`There is no file ${path}`);
    throw error;
  });
  if (kind !== 'copy') return { items: () => readLines(path, kind), close: async () => {} };
  return openCopy(path);
}

/** LMDB writes to whatever it opens, so it is given a copy of the copy. */
async function openCopy(path: string): Promise<OpenedArchive> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-restore-'));
  try {
    await copyFile(path, join(folder, STORE_FILE), constants.COPYFILE_FICLONE);
    const engine = await openEngine({ dataDir: folder, beside: 'copy' });
    return {
      items: () => itemsOf(engine.archive),
      async close() {
        await engine.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    const { cause: reason = cause } = cause as Error;
    throw new ArchiveFault(`${path} is no archive, or damaged: ${(reason as Error).message}`, { cause });
  }
}
