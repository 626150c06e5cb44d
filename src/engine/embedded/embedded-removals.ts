import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from 'lmdb';
import type { PollId } from '../../poll/poll.ts';
import { type EmbeddedTables, keysOfPoll } from './embedded-tables.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Removing so many takes the one thread that serves everybody some 3 ms. */
const ENTRIES_IN_A_SLICE = 1_000;
/** Between two slices, so that a great removal takes no more than half of the thread. */
const PAUSE_MS = 3;
const RETRY_MS = 10_000;

/**
 * A poll goes in one step, and its entries after it in slices, because a million ballots have five million. What is left to
 * remove stands in a table of its own, so that it goes on after a restart.
 */
export class EmbeddedRemovals {
  readonly #tables: EmbeddedTables;
  readonly #write: WriteTransaction;
  #sweeping: Promise<void> | undefined;
  /** Set anew by what is removed while the last slice is on its way. */
  #isWanted = false;
  #retrying: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(tables: EmbeddedTables, write: WriteTransaction) {
    this.#tables = tables;
    this.#write = write;
  }

  /** Call inside a transaction, and `sweep` after it. Resolves to false where there is no such poll. */
  begin(id: PollId): boolean {
    const stored = this.#tables.polls.get(id);
    if (!stored) return false;
    this.#tables.publicPolls.removeSync([stored.poll.createdAtMs, id]);
    this.#tables.polls.removeSync(id);
    this.#tables.tallies.removeSync(id);
    this.#tables.removals.putSync(id, true);
    return true;
  }

  isUnderWay(id: PollId): boolean {
    return this.#tables.removals.doesExist(id);
  }

  /** Resolves once all that is gone has left nothing behind. Rejects where the disk is full. */
  sweep(): Promise<void> {
    this.#isWanted = true;
    this.#sweeping ??= this.#sweepAll().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  /** The same for whoever does not wait for it. What fails, as on a full disk, is tried again. */
  sweepSoon(): void {
    const retry = () => {
      if (!this.#isClosed) this.#retrying = setTimeout(() => this.sweepSoon(), RETRY_MS).unref();
    };
    this.sweep().catch(retry);
  }

  /** What is left then is removed after the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retrying);
    await this.#sweeping?.catch(() => {});
  }

  async #sweepAll(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      while (!this.#isClosed && (await this.#write(() => this.#removeSlice()))) await pause(PAUSE_MS);
    }
  }

  /** @returns whether there may be more */
  #removeSlice(): boolean {
    let left = ENTRIES_IN_A_SLICE;
    for (const id of [...this.#tables.removals.getKeys({ limit: ENTRIES_IN_A_SLICE })]) {
      left -= removeEntries(this.#tables, id, left);
      if (left <= 0) return true;
      this.#tables.removals.removeSync(id);
      left -= 1;
    }
    return left <= 0;
  }
}

/** Removes what lies under a poll, so many at most. Call inside a transaction. @returns how many were removed */
export function removeEntries(tables: EmbeddedTables, id: PollId, limit: number): number {
  const { ballots, ballotVersions, voters, addresses, proofs, comments } = tables;
  let left = limit;
  for (const table of [ballots, ballotVersions, voters, addresses, proofs, comments])
    if (left > 0) left -= removeSome(table as Database<unknown, never>, id, left);
  return limit - left;
}

/** @returns how many were removed, at most as many as asked for */
function removeSome(table: Database<unknown, (string | number)[]>, id: PollId, limit: number): number {
  const keys = [...table.getKeys({ ...keysOfPoll(id), limit })];
  for (const key of keys) table.removeSync(key);
  return keys.length;
}
