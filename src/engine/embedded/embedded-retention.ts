import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Database } from 'lmdb';
import { idOfRound, type PollId } from '../../poll/poll.ts';
import { markDeleted, markEvent } from './embedded-event-log.ts';
import { type EmbeddedStore, type EmbeddedTables, keysOfPoll } from './embedded-tables.ts';
import { removableAtMs } from './tally.ts';

type Key = string | (string | number)[];

/** Entries read or removed at once, which blocks the process for some 3 ms. */
const SLICE = 1_000;
/** Between two slices, so that a large removal takes at most half of the CPU. */
const PAUSE_MS = 3;
const RETRY_MS = 10_000;
const TIDY_INTERVAL_MS = 600_000;

/**
 * A removed poll disappears in one step and its entries later in slices; a table of its own lists
 * them for the next start.
 */
export class EmbeddedRetention {
  readonly #store: EmbeddedStore;
  readonly #timer: NodeJS.Timeout;
  #retryTimer: NodeJS.Timeout | undefined;
  #tidying: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #isRequested = false;
  #isClosed = false;

  constructor(store: EmbeddedStore) {
    this.#store = store;
    // A failure, as on a full disk, is repeated by the next one.
    this.#timer = setInterval(() => void this.tidy().catch(() => {}), TIDY_INTERVAL_MS).unref();
  }

  /** Makes a poll disappear. Call inside a transaction, then `sweep`. @returns false if there is no such poll */
  beginRemoval(id: PollId): boolean {
    const { polls, publicPolls, tallies, removals } = this.#store;
    const stored = polls.get(id);
    if (!stored) return false;
    publicPolls.removeSync([stored.poll.createdAtMs, id]);
    polls.removeSync(id);
    tallies.removeSync(id);
    removals.putSync(id, true);
    const { round = 1 } = stored.poll;
    for (let earlier = 1; earlier < round; earlier += 1) {
      polls.removeSync(idOfRound(id, earlier));
      tallies.removeSync(idOfRound(id, earlier));
      removals.putSync(idOfRound(id, earlier + 1), true);
    }
    markDeleted(this.#store, id);
    markEvent(this.#store, id);
    return true;
  }

  isRemoving(id: PollId): boolean {
    return this.#store.removals.doesExist(id);
  }

  /** Resolves once removed polls have no entries. Rejects if the disk is full. */
  sweep(): Promise<void> {
    this.#isRequested = true;
    this.#sweeping ??= this.#sweepAll().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  sweepSoon(): void {
    this.sweep().catch(() => {
      if (!this.#isClosed) this.#retryTimer = setTimeout(() => this.sweepSoon(), RETRY_MS).unref();
    });
  }

  /** Removes what has expired by now. Rejects if the disk is full. */
  tidy(): Promise<void> {
    this.#tidying ??= this.#tidyAll().finally(() => {
      this.#tidying = undefined;
    });
    return this.#tidying;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#retryTimer);
    await this.#sweeping?.catch(() => {});
    await this.#tidying?.catch(() => {});
  }

  async #sweepAll(): Promise<void> {
    while (this.#isRequested && !this.#isClosed) {
      this.#isRequested = false;
      while (!this.#isClosed && (await this.#store.write(() => this.#removeSlice(), undefined, 'end')))
        await pause(PAUSE_MS);
    }
  }

  #removeSlice(): boolean {
    const { removals } = this.#store;
    let left = SLICE;
    for (const id of [...removals.getKeys({ limit: SLICE })]) {
      left -= removeEntries(this.#store, id, left);
      if (left <= 0) return true;
      removals.removeSync(id);
      left -= 1;
    }
    return left <= 0;
  }

  async #tidyAll(): Promise<void> {
    const { tallies, proofs, records } = this.#store;
    await this.#removeExpired(tallies, removableAtMs, id => this.beginRemoval(id));
    await this.#removeExpired(
      records,
      ({ expiresAtMs }) => expiresAtMs,
      name => records.removeSync(name),
    );
    await this.#removeExpired(
      proofs,
      expiresAtMs => expiresAtMs,
      key => proofs.removeSync(key),
    );
    await this.sweep();
  }

  async #removeExpired<V, K extends Key>(
    table: Database<V, K>,
    expiresAtMs: (value: V) => number | null,
    remove: (key: K) => unknown,
  ): Promise<void> {
    const isExpired = (value: V | undefined) => {
      const expiry = value === undefined ? null : expiresAtMs(value);
      return expiry !== null && expiry <= Date.now();
    };
    let start: K | undefined;
    while (!this.#isClosed) {
      const entries = [...table.getRange({ ...(start !== undefined && { start }), limit: SLICE })];
      const expired = entries.filter(({ value }) => isExpired(value));
      // Checked again in the transaction: the expiry may have moved.
      if (expired.length > 0)
        await this.#store.write(() => {
          for (const { key } of expired) if (isExpired(table.get(key))) remove(key);
        });
      if (entries.length < SLICE) return;
      start = entries.at(-1)?.key as K;
      await nextTurn();
    }
  }
}

/** Removes entries of a poll inside a transaction, `limit` at most. @returns how many */
export function removeEntries(tables: EmbeddedTables, id: PollId, limit: number): number {
  const { ballots, ballotVersions, voters, addresses, proofs, logs, images, comments } = tables;
  let left = limit;
  for (const table of [ballots, ballotVersions, voters, addresses, proofs, logs, images, comments]) {
    const some = table as Database<unknown, never>;
    for (const key of left > 0 ? [...some.getKeys({ ...keysOfPoll(id), limit: left })] : []) {
      some.removeSync(key);
      left -= 1;
    }
  }
  return limit - left;
}
