import type { Database } from 'lmdb';
import type { PollId } from '../../poll/poll.ts';
import type { Tally } from './embedded-tables.ts';

/**
 * Tallies as the ballots of one write transaction have them: however many are cast in a poll, its tally is read once and written
 * once. Only ballots may use it, and `write` comes after the last of them, before anything else looks at a tally or is committed.
 */
export class OpenTallies {
  readonly #table: Database<Tally, PollId>;
  readonly #open = new Map<PollId, Tally>();
  readonly #changed = new Map<PollId, Tally>();

  constructor(table: Database<Tally, PollId>) {
    this.#table = table;
  }

  get(id: PollId): Tally | undefined {
    const open = this.#open.get(id);
    if (open) return open;
    const tally = this.#table.get(id);
    if (tally) this.#open.set(id, tally);
    return tally;
  }

  put(id: PollId, tally: Tally): void {
    this.#changed.set(id, tally);
  }

  /** @throws where LMDB has no room: then the transaction as a whole comes to nothing */
  write(): void {
    if (this.#open.size === 0) return;
    try {
      for (const [id, tally] of this.#changed) this.#table.putSync(id, tally);
    } finally {
      this.#open.clear();
      this.#changed.clear();
    }
  }
}
