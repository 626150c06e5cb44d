import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import type { Engine } from '../engine.ts';
import type { DataLock } from './data-lock.ts';
import { EmbeddedComments } from './embedded-comments.ts';
import { EmbeddedHints } from './embedded-hints.ts';
import { EmbeddedPolls } from './embedded-polls.ts';
import { EmbeddedRecords } from './embedded-records.ts';
import { type EmbeddedTables, removeExpiredEntries } from './embedded-tables.ts';
import { type WriteTransaction, writeTransactions } from './write-transaction.ts';

const DAY_MS = 86_400_000;
const TIDY_INTERVAL_MS = 600_000;

/** LMDB in this process. */
export class EmbeddedEngine implements Engine {
  readonly polls: EmbeddedPolls;
  readonly hints = new EmbeddedHints();
  readonly records: EmbeddedRecords;
  readonly comments: EmbeddedComments;
  readonly #tables: EmbeddedTables;
  readonly #lock: DataLock;
  readonly #write: WriteTransaction;
  readonly #tidying: NodeJS.Timeout;

  constructor(tables: EmbeddedTables, lock: DataLock, retentionDays: number) {
    this.#tables = tables;
    this.#lock = lock;
    this.#write = writeTransactions(tables.root);
    this.polls = new EmbeddedPolls(tables, this.#write, this.hints, retentionDays * DAY_MS);
    this.records = new EmbeddedRecords(tables, this.#write);
    this.comments = new EmbeddedComments(tables, this.#write, this.hints);
    this.#tidying = setInterval(() => void this.tidy().catch(() => {}), TIDY_INTERVAL_MS).unref();
  }

  castBallot(ballot: Ballot): Promise<BallotReceipt> {
    return this.polls.cast(ballot);
  }

  async close(): Promise<void> {
    clearInterval(this.#tidying);
    await this.#tables.root.close();
    await this.#lock.release();
  }

  /** Removes what has outlived its retention: polls, records and proofs. */
  async tidy(): Promise<void> {
    const nowMs = Date.now();
    await this.#write(() => {
      removeExpiredEntries(this.#tables, nowMs);
      this.records.removeExpired(nowMs);
    });
  }
}
