import type { Database } from 'lmdb';
import type { EmbeddedRemovals } from './embedded-removals.ts';
import type { EmbeddedTables } from './embedded-tables.ts';
import { goesAtMs } from './tally.ts';
import type { WriteTransaction } from './write-transaction.ts';

const TIDY_INTERVAL_MS = 600_000;
/** Looking at so many, or removing them, takes the one thread that serves everybody a few milliseconds. */
const SLICE = 1_000;

type Key = string | (string | number)[];

/** Removes what has outlived its retention: polls, proofs and records. All in slices, so that nobody waits for it. */
export class EmbeddedRetention {
  readonly #tables: EmbeddedTables;
  readonly #write: WriteTransaction;
  readonly #removals: EmbeddedRemovals;
  readonly #timer: NodeJS.Timeout;
  #tidying: Promise<void> | undefined;
  #isClosed = false;

  constructor(tables: EmbeddedTables, write: WriteTransaction, removals: EmbeddedRemovals) {
    this.#tables = tables;
    this.#write = write;
    this.#removals = removals;
    // What fails, as on a full disk, is done the next time.
    this.#timer = setInterval(() => void this.tidy().catch(() => {}), TIDY_INTERVAL_MS).unref();
  }

  tidy(): Promise<void> {
    this.#tidying ??= this.#tidyAll().finally(() => {
      this.#tidying = undefined;
    });
    return this.#tidying;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#removals.close();
    await this.#tidying?.catch(() => {});
  }

  async #tidyAll(): Promise<void> {
    const { tallies, proofs, records } = this.#tables;
    await this.#removeExpired(tallies, goesAtMs, id => void this.#removals.begin(id));
    await this.#removeExpired(
      records,
      ({ expiresAtMs }) => expiresAtMs,
      name => void records.removeSync(name),
    );
    await this.#removeExpired(
      proofs,
      expiresAtMs => expiresAtMs,
      key => void proofs.removeSync(key),
    );
    await this.#removals.sweep();
  }

  /** @param expiresAtMs UNIX time in milliseconds, null for never */
  async #removeExpired<V, K extends Key>(
    table: Database<V, K>,
    expiresAtMs: (value: V) => number | null,
    remove: (key: K) => void,
  ): Promise<void> {
    const isOver = (value: V | undefined) => {
      const expiry = value === undefined ? null : expiresAtMs(value);
      return expiry !== null && expiry <= Date.now();
    };
    let start: K | undefined;
    while (!this.#isClosed) {
      const entries = [...table.getRange({ ...(start !== undefined && { start }), limit: SLICE })];
      const over = entries.filter(({ value }) => isOver(value));
      // Looked at again inside the transaction: it may have got more time since.
      if (over.length > 0)
        await this.#write(() => {
          for (const { key } of over) if (isOver(table.get(key))) remove(key);
        });
      if (entries.length < SLICE) return;
      start = entries.at(-1)?.key as K;
      await new Promise(setImmediate);
    }
  }
}
