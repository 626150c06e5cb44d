import type { Clock } from '../../src/client/clock.ts';

interface Alarm {
  readonly ms: number;
  readonly atMs: number;
  readonly callback: () => void;
}

/** Time that passes when a test says so, and chance that comes out as a test says. */
export class ManualClock implements Clock {
  /** What `random` gives. */
  chance = 0.5;
  /** Every pause that was asked for, in order. */
  readonly pauses: number[] = [];
  readonly #alarms = new Set<Alarm>();
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
    const alarm = { ms, atMs: this.#nowMs + ms, callback };
    this.#alarms.add(alarm);
    for (const waiting of [...this.#waiting]) waiting();
    return () => this.#alarms.delete(alarm);
  }

  /** How many calls are still to come. */
  get pending(): number {
    return this.#alarms.size;
  }

  /** Resolves while a call after exactly this pause is to come. */
  asked(ms: number): Promise<void> {
    return new Promise(resolve => {
      const check = (): void => {
        if (![...this.#alarms].some(alarm => alarm.ms === ms)) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Time passes and nothing is called back, as on a machine that sleeps or is busy: what is due then is late. */
  skip(ms: number): void {
    this.#nowMs += ms;
  }

  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#alarms].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!due) break;
      this.#alarms.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = endMs;
  }
}
