import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import { checkBallot } from '../check-ballot.ts';
import type { Engine, EngineDescription, EngineHealth } from '../engine.ts';
import type { DataLock } from './data-lock.ts';
import { EmbeddedArchive } from './embedded-archive.ts';
import { EmbeddedComments } from './embedded-comments.ts';
import { EmbeddedHints } from './embedded-hints.ts';
import { EmbeddedPolls } from './embedded-polls.ts';
import { EmbeddedRecords } from './embedded-records.ts';
import { EmbeddedRemovals } from './embedded-removals.ts';
import { EmbeddedRetention } from './embedded-retention.ts';
import type { EmbeddedTables } from './embedded-tables.ts';
import { OpenTallies } from './open-tallies.ts';
import { isOpenToOthers } from './store-file.ts';
import { WriteTransactions } from './write-transaction.ts';

/** After a commit that failed LMDB waits for ever for its flush; there is nothing left to wait for. */
const CLOSE_TIMEOUT_MS = 1_000;
/** Fewer may be filled by one large poll before anybody looks. */
const LITTLE_MB = 200;
/** Name of a record that says nothing. */
const TRIAL = 'trial';

/** LMDB in this process. */
export class EmbeddedEngine implements Engine {
  readonly polls: EmbeddedPolls;
  readonly hints = new EmbeddedHints();
  readonly records: EmbeddedRecords;
  readonly comments: EmbeddedComments;
  readonly archive: EmbeddedArchive;
  readonly #tables: EmbeddedTables;
  readonly #lock: DataLock;
  readonly #writes: WriteTransactions;
  readonly #retention: EmbeddedRetention;

  constructor(tables: EmbeddedTables, lock: DataLock, retentionDays: number | undefined) {
    this.#tables = tables;
    this.#lock = lock;
    const openTallies = new OpenTallies(tables.tallies);
    this.#writes = new WriteTransactions(tables.root, () => openTallies.write());
    const write = this.#writes.run;
    const removals = new EmbeddedRemovals(tables, write);
    this.#retention = new EmbeddedRetention(tables, write, removals);
    this.polls = new EmbeddedPolls({
      tables,
      openTallies,
      write,
      hints: this.hints,
      removals,
      retentionDays,
    });
    this.records = new EmbeddedRecords(tables, write);
    this.comments = new EmbeddedComments(tables, write, this.hints);
    this.archive = new EmbeddedArchive(tables, write, removals);
  }

  async castBallot(ballot: Ballot): Promise<BallotReceipt> {
    return this.polls.cast(checkBallot(ballot));
  }

  /** Where the last write failed another one is tried: somebody has to find out that there is room again. */
  async checkHealth(): Promise<EngineHealth> {
    if (this.#writes.isFailing) await this.records.put(TRIAL, '', 1).catch(() => {});
    return this.#writes.isFailing
      ? { reads: 'all', writes: 'none', fault: 'The disk takes no writes.' }
      : { reads: 'all', writes: 'all' };
  }

  async describe(): Promise<EngineDescription> {
    const directory = resolve(this.#tables.directory);
    const { bavail, bsize } = await statfs(directory);
    const megabytes = Math.round((bavail * bsize) / 1_000_000);
    return {
      text: `embedded, in ${directory}: each ballot is on disk before it is answered; ${megabytes.toLocaleString('en')} MB free`,
      advice: [
        ...(megabytes < LITTLE_MB ? [`${directory} has only ${megabytes} MB left`] : []),
        ...(isOpenToOthers(directory)
          ? [
              `${directory} is open to other users of this machine: give it to the server's user, with mode 700`,
            ]
          : []),
      ],
    };
  }

  /** Removes what has outlived its retention: polls, records and proofs. Rejects where the disk is full. */
  tidy(): Promise<void> {
    return this.#retention.tidy();
  }

  async close(): Promise<void> {
    await this.#retention.close();
    await this.#writes.settled();
    // Nothing else may be left that keeps the process: without the timer it would end here, and its caller with it.
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise(resolve => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([this.#tables.root.close(), late]);
    clearTimeout(timer);
    await this.#lock.release();
  }
}
