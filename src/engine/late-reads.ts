import { setTimeout as pause } from 'node:timers/promises';
import type { PollId } from '../poll/poll.ts';
import type { Read } from './shared-read.ts';

/** Reads that a call stopped waiting for; beyond this the oldest is dropped and begins again. */
const MAX_LATE = 100;

/** Reads that may take longer than a request: the next call for the poll takes over the read that the last one did not wait for. */
export class LateReads<Value> {
  readonly #read: Read<Value>;
  readonly #patienceMs: number;
  readonly #late = new Map<PollId, Promise<Value | undefined>>();

  constructor(read: Read<Value>, patienceMs: number) {
    this.#read = read;
    this.#patienceMs = patienceMs;
  }

  /** Resolves to `late` if the read takes longer than `patienceMs`. */
  async find(id: PollId): Promise<Value | undefined | 'late'> {
    const reading = this.#late.get(id) ?? this.#read(id);
    this.#late.delete(id);
    const found = await Promise.race([reading, pause(this.#patienceMs, 'late' as const, { ref: false })]);
    if (found === 'late') this.#keep(id, reading);
    return found;
  }

  /** Makes the next call read anew. */
  forget(id: PollId): void {
    this.#late.delete(id);
  }

  #keep(id: PollId, reading: Promise<Value | undefined>): void {
    // The next call gets the error.
    reading.catch(() => {});
    this.#late.set(id, reading);
    for (const oldest of this.#late.keys()) {
      if (this.#late.size <= MAX_LATE) break;
      this.#late.delete(oldest);
    }
  }
}
