import { existsSync, mkdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { getSystemErrorName } from 'node:util';
import type { RootDatabase } from 'lmdb';
import { PollError } from '../../poll/poll-error.ts';
import { checkBallot } from '../check-ballot.ts';
import type { Engine, EngineDescription } from '../engine.ts';
import type { EmbeddedOptions } from '../engine-options.ts';
import { within } from '../within.ts';
import { type DataLock, lockDataDirectory } from './data-lock.ts';
import { EmbeddedArchive } from './embedded-archive.ts';
import { embeddedEventLog } from './embedded-event-log.ts';
import { EmbeddedHints } from './embedded-hints.ts';
import { EmbeddedPolls } from './embedded-polls.ts';
import { embeddedComments, embeddedRecords } from './embedded-records.ts';
import { EmbeddedRetention } from './embedded-retention.ts';
import { type EmbeddedTables, isOpenToOthers, openTables, storeIn } from './embedded-tables.ts';
import { RoomReserve } from './room-reserve.ts';
import { OpenTallies } from './tally.ts';
import { STALLED, WriteTransactions } from './write-transaction.ts';

const REASONS: Record<string, string> = {
  EACCES: 'this process may not write there',
  EPERM: 'this process may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'no room is left on its disk',
  EFBIG: 'no room is left on its disk',
  EDQUOT: 'the quota of its disk is used up',
  ENOTDIR: 'it is not a folder',
  EOPNOTSUPP: 'its file system has no local sockets, which lock it',
};

export interface EmbeddedEngine extends Engine {
  /** Removes expired polls, records and proofs. Rejects if the disk is full. */
  tidy(): Promise<void>;
}

/** @throws Error in one line if the directory cannot be written, or another process uses it */
export async function openEmbeddedEngine(options: EmbeddedOptions): Promise<EmbeddedEngine> {
  const { dataDir = './data', beside } = options;
  const directory = resolve(dataDir);
  if (beside === 'read' && !existsSync(storeIn(dataDir)))
    throw new Error(`There is nothing in DATA_DIR ${directory}: is it the server's?`);
  let lock: DataLock | undefined;
  try {
    makeFolder(directory);
    lock = beside === undefined ? await lockDataDirectory(dataDir) : { release: async () => {} };
    if (lock) {
      const tables = openTables(dataDir, beside);
      const engine = engineOn(tables, lock, options);
      // Not awaited: it may take long, or the disk may be full.
      if (beside === undefined) void engine.tidy().catch(() => {});
      return engine;
    }
  } catch (cause) {
    await lock?.release();
    throw unusable(directory, cause);
  }
  throw new Error(`another process is using ${directory}`);
}

/** Without `recursive`, with which Node hides the reason of a failure and never returns below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function unusable(directory: string, cause: unknown): Error {
  const { code = '', message } = cause as { code?: string | number; message: string };
  const name = typeof code === 'number' && code > 0 ? getSystemErrorName(-code) : code;
  return new Error(`DATA_DIR ${directory} cannot be used (${REASONS[name] ?? message})`, { cause });
}

const CLOSE_TIMEOUT_MS = 4_000;
/** After a failed commit, LMDB's close waits for ever. */
const FULL_CLOSE_TIMEOUT_MS = 1_000;
const LITTLE_MB = 200;
const TRIAL_RECORD = 'trial';

function engineOn(
  tables: EmbeddedTables,
  lock: DataLock,
  { retentionDays, beside }: EmbeddedOptions,
): EmbeddedEngine {
  const directory = resolve(tables.directory);
  const reserve = new RoomReserve(beside === undefined ? directory : undefined);
  const openTallies = new OpenTallies(tables.tallies);
  const writes = new WriteTransactions(tables.root, () => openTallies.write(), reserve, directory);
  const store = { ...tables, write: writes.run };
  const retention = new EmbeddedRetention(store);
  const hints = new EmbeddedHints();
  const polls = new EmbeddedPolls(store, openTallies, hints, retention, retentionDays);
  const records = embeddedRecords(store);
  return {
    polls,
    hints,
    records,
    comments: embeddedComments(store, hints),
    archive: new EmbeddedArchive(store, retention),
    events: embeddedEventLog(store, hints),
    castBallot: async ballot => polls.cast(checkBallot(ballot)),
    /** After a failed write, writes again to find out whether there is room by now. */
    async checkHealth() {
      if (writes.isFailing) await records.put(TRIAL_RECORD, '', 1).catch(() => {});
      return writes.isFailing
        ? { reads: 'all', writes: 'none', fault: 'Nothing can be written to the disk.' }
        : { reads: 'all', writes: 'all' };
    },
    describe: () => describeDirectory(directory),
    tidy: () => retention.tidy(),
    async close() {
      await retention.close();
      await writes.settled();
      // While the disk does not answer, LMDB's close would block this thread.
      const closing = writes.isStalled ? Promise.resolve(false) : closeRoot(tables.root).then(() => true);
      const isClosed = await within(writes.isFull ? FULL_CLOSE_TIMEOUT_MS : CLOSE_TIMEOUT_MS, closing, false);
      await lock.release();
      if (!isClosed && !writes.isFull) throw new PollError('engine_unavailable', { cause: STALLED });
    },
  };
}

/** lmdb rejects reads only from the end of its close on, and throws from a timer for one before that. */
function closeRoot(root: RootDatabase): Promise<void> {
  const closing = root.close();
  (root as RootDatabase & { readonly env: { address: number } }).env.address = 0;
  return closing;
}

async function describeDirectory(directory: string): Promise<EngineDescription> {
  const { bavail, bsize } = await statfs(directory);
  const megabytes = Math.round((bavail * bsize) / 1_000_000);
  const advice: string[] = [];
  if (megabytes < LITTLE_MB) advice.push(`${directory} has only ${megabytes} MB left`);
  if (isOpenToOthers(directory))
    advice.push(
      `${directory} is open to other users of this machine: give it to the server's user, with mode 700`,
    );
  const text = `embedded, in ${directory}: each ballot is on disk before it is answered; ${megabytes.toLocaleString('en')} MB free`;
  return { text, advice };
}
