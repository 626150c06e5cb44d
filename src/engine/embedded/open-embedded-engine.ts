import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { getSystemErrorName } from 'node:util';
import { type DataLock, lockDataDirectory } from './data-lock.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { openTables } from './embedded-tables.ts';
import { storeIn } from './store-file.ts';

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** 0 keeps polls for ever. Left out, new polls are kept for a year, and a change leaves a poll's own. */
  readonly retentionDays?: number | undefined;
  /** Beside the process that uses the directory, whose lock is left alone. `read` needs one that is there already. */
  readonly beside?: 'read' | 'write' | 'copy' | undefined;
}

const REASONS: Record<string, string> = {
  EACCES: 'this process may not write there',
  EPERM: 'this process may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'no room is left on its disk',
  EFBIG: 'no room is left on its disk',
  EDQUOT: 'the quota of its disk is used up',
  ENOTDIR: 'it is not a folder',
  EOPNOTSUPP: 'its file system takes no local sockets, by which a second process is kept out',
};

/** @throws Error in one line where the directory cannot be written, or another process uses it */
export async function openEmbeddedEngine({
  dataDir,
  retentionDays,
  beside,
}: EmbeddedOptions): Promise<EmbeddedEngine> {
  if (beside === 'read' && !existsSync(storeIn(dataDir)))
    throw new Error(`There is nothing in DATA_DIR ${resolve(dataDir)}: is it the server's?`);
  const lock = beside === undefined ? await takeLock(dataDir) : makeFolderUnlocked(dataDir);
  try {
    const engine = new EmbeddedEngine(openTables(dataDir, beside), lock, retentionDays);
    // Not waited for: there may be much to remove, or no room to do so.
    if (beside === undefined) void engine.tidy().catch(() => {});
    return engine;
  } catch (cause) {
    await lock.release();
    throw unusable(dataDir, cause);
  }
}

function makeFolderUnlocked(dataDir: string): DataLock {
  try {
    makeFolder(resolve(dataDir));
  } catch (cause) {
    throw unusable(dataDir, cause);
  }
  return { release: async () => {} };
}

async function takeLock(dataDir: string): Promise<DataLock> {
  let lock: DataLock | undefined;
  try {
    makeFolder(resolve(dataDir));
    lock = await lockDataDirectory(dataDir);
  } catch (cause) {
    throw unusable(dataDir, cause);
  }
  if (!lock) throw new Error(`another process is using ${resolve(dataDir)}`);
  return lock;
}

/** Not `recursive`: Node would hide why it failed, and never return from below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function unusable(dataDir: string, cause: unknown): Error {
  const { code = '', message } = cause as { code?: string | number; message: string };
  // LMDB gives numbers.
  const name = typeof code === 'number' && code > 0 ? getSystemErrorName(-code) : code;
  const reason = REASONS[name] ?? message;
  return new Error(`DATA_DIR ${resolve(dataDir)} cannot be used (${reason})`, { cause });
}
