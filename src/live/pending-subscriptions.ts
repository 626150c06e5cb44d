import { nextTurn, SLICE } from './slice.ts';
import type { Seat } from './subscription.ts';

/**
 * A tick, from one reading to the next. A newcomer that waits grows old: 50 ms later its objects lie in no cache and are no young
 * garbage any more, and letting it in costs a sixth more.
 */
export const NEWCOMERS_REST_MS = 20;
/**
 * So many do not wait for the tick to end: letting them in costs the relay a dozen times what a reading does, and a crowd whose
 * connections are opened so many at a time, by a proxy or a listening socket, would have nobody to let in meanwhile.
 */
export const CROWD = 64;

export interface NewcomersOptions {
  /** Once the poll is followed: what is read from then on misses nothing. */
  readonly ready: Promise<void>;
  /** Reads the poll anew for these and all others. MUST NOT reject. */
  readonly read: (newcomers: readonly Seat[]) => Promise<void>;
  /** Shows a newcomer what was read. */
  readonly greet: (seat: Seat) => void;
}

/**
 * Who has come to a poll and was not shown it yet. Followed first, read then: a change in between is hinted, so nothing can fall
 * between the two. Newcomers share a reading that was begun after all of them had come: one for each turn of the event loop, and
 * of a crowd one for each tick or `CROWD`, whichever is sooner.
 */
export class Newcomers {
  readonly #options: NewcomersOptions;
  readonly #waiting = new Set<Seat>();
  #isAdmitting = false;
  #hurry: (() => void) | undefined;

  constructor(options: NewcomersOptions) {
    this.#options = options;
  }

  get seats(): readonly Seat[] {
    return [...this.#waiting];
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(seat: Seat): void {
    this.#waiting.add(seat);
    if (!this.#isAdmitting) void this.#admit();
    else if (this.size === CROWD) this.#hurry?.();
  }

  delete(seat: Seat): void {
    this.#waiting.delete(seat);
  }

  clear(): void {
    this.#waiting.clear();
  }

  async #admit(): Promise<void> {
    this.#isAdmitting = true;
    await this.#options.ready;
    await nextTurn();
    while (this.size > 0) {
      const restsUntilMs = performance.now() + NEWCOMERS_REST_MS;
      const { seats } = this;
      await this.#options.read(seats);
      for (const [index, seat] of seats.entries()) {
        if (this.#waiting.delete(seat)) this.#options.greet(seat);
        if (index % SLICE === SLICE - 1) await nextTurn();
      }
      // A timer reckons from the beginning of its turn of the event loop, and so may come early.
      while (this.size < CROWD && performance.now() < restsUntilMs) await this.#rest(restsUntilMs);
    }
    this.#isAdmitting = false;
  }

  #rest(untilMs: number): Promise<void> {
    return new Promise(done => {
      const timer = setTimeout(done, untilMs - performance.now());
      this.#hurry = () => {
        clearTimeout(timer);
        setImmediate(done);
      };
    });
  }
}
