import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import { checkBallot } from '../check-ballot.ts';
import type { Engine, EngineHealth } from '../engine.ts';
import type { DataLock } from './data-lock.ts';
import { EmbeddedArchive } from './embedded-archive.ts';
import { EmbeddedComments } from './embedded-comments.ts';
import { EmbeddedHints } from './embedded-hints.ts';
import { EmbeddedPolls } from './embedded-polls.ts';
import { EmbeddedRecords } from './embedded-records.ts';
import { EmbeddedRemovals } from './embedded-removals.ts';
import { EmbeddedRetention } from './embedded-retention.ts';
import type { EmbeddedTables } from './embedded-tables.ts';
import { WriteTransactions } from './write-transaction.ts';

/** After a commit that failed LMDB waits for ever for its flush; there is nothing left to wait for. */
const CLOSE_TIMEOUT_MS = 1_000;
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
    this.#writes = new WriteTransactions(tables.root);
    const write = this.#writes.run;
    const removals = new EmbeddedRemovals(tables, write);
    this.#retention = new EmbeddedRetention(tables, write, removals);
    this.polls = new EmbeddedPolls({ tables, write, hints: this.hints, removals, retentionDays });
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

  /** Removes what has outlived its retention: polls, records and proofs. Rejects where the disk is full. */
  tidy(): Promise<void> {
    return this.#retention.tidy();
  }

  async close(): Promise<void> {
    await this.#retention.close();
    await this.#writes.settled();
    const late = new Promise(resolve => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
    await Promise.race([this.#tables.root.close(), late]);
    await this.#lock.release();
  }
}
