import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder on a disk that gets full, really. */
export interface SmallDisk {
  readonly dir: string;
  /** Room that a file gives up is room for another one. */
  readonly isWhole: boolean;
  /** Leaves no room, or as much as is asked for. */
  fill(freeBytes?: number): void;
  /** Makes room again. */
  free(): void;
  /** What comes before the command of a program for which the limit must hold, too, from its start. */
  readonly wrapper: readonly string[];
  /** Tells of a program that was started so, before the disk is filled or freed again. */
  include(pid: number): void;
  close(): Promise<void>;
}

/** Holds a new engine with its reserve. */
const SIZE = '8m';
const BLOCK = Buffer.alloc(4_096);

/**
 * A tmpfs of 8 MB. Where this user may not mount one, a limit on how large this process may make a file
 * (RLIMIT_FSIZE): the kernel refuses a write as well, by another code.
 */
export async function makeSmallDisk(): Promise<SmallDisk> {
  const dir = await mkdtemp(join(tmpdir(), 'tallycast-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', dir]).status === 0;
  if (mounted) return mountedDisk(dir);
  console.warn('No tmpfs may be mounted here: the disk is one on which files may not grow.');
  return limitedDisk(dir);
}

function mountedDisk(dir: string): SmallDisk {
  const filler = join(dir, 'filler');
  return {
    dir,
    isWhole: true,
    wrapper: [],
    include: () => {},
    fill(freeBytes = 0) {
      const file = openSync(filler, 'a');
      try {
        while (true) writeSync(file, BLOCK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
      if (freeBytes > 0) truncateSync(filler, statSync(filler).size - freeBytes);
    },
    free: () => rmSync(filler, { force: true }),
    async close() {
      spawnSync('umount', ['--lazy', dir]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function limitedDisk(dir: string): SmallDisk {
  const ignore = () => {};
  // Without a listener the signal that comes with the error ends the process.
  process.on('SIGXFSZ' as NodeJS.Signals, ignore);
  const pids = new Set([process.pid]);
  let wrapper: string[] = [];
  const limit = (bytes: number | 'unlimited') => {
    wrapper = ['prlimit', `--fsize=${bytes}:`];
    for (const pid of pids) {
      const done = spawnSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`]);
      if (done.status !== 0) pids.delete(pid);
    }
    if (pids.size === 0) throw new Error('Neither mount nor prlimit may be used here: no disk can get full');
  };
  return {
    dir,
    isWhole: false,
    get wrapper() {
      return wrapper;
    },
    include: pid => void pids.add(pid),
    fill(freeBytes = 0) {
      const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(file => file.isFile());
      const sizes = files.map(file => statSync(join(file.parentPath, file.name)).size);
      limit(Math.max(1, ...sizes) + freeBytes);
    },
    free: () => limit('unlimited'),
    async close() {
      limit('unlimited');
      process.off('SIGXFSZ' as NodeJS.Signals, ignore);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
