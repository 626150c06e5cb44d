import type { Clock } from '../../src/client/connect-options.ts';

interface Timer {
  readonly ms: number;
  readonly atMs: number;
  readonly callback: () => void;
}

/** Time that passes when a test says so, and randomness that a test sets. */
export class ManualClock implements Clock {
  /** The value of `random()`. */
  chance = 0.5;
  /** The delay of every timer so far, in order. */
  readonly pauses: number[] = [];
  readonly #timers = new Set<Timer>();
  readonly #waiting = new Set<() => void>();
  #nowMs = 0;

  now(): number {
    return this.#nowMs;
  }

  random(): number {
    return this.chance;
  }

  after(ms: number, callback: () => void): () => void {
    this.pauses.push(ms);
    const timer = { ms, atMs: this.#nowMs + ms, callback };
    this.#timers.add(timer);
    for (const waiting of [...this.#waiting]) waiting();
    return () => this.#timers.delete(timer);
  }

  /** The number of pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Resolves as soon as a timer with exactly this delay is pending. */
  asked(ms: number): Promise<void> {
    return new Promise(resolve => {
      const check = (): void => {
        if (![...this.#timers].some(timer => timer.ms === ms)) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Time passes without a call, as on a machine that sleeps: timers become late. */
  skip(ms: number): void {
    this.#nowMs += ms;
  }

  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = endMs;
  }
}
