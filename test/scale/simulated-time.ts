type Act = (...args: unknown[]) => void;

interface Due {
  readonly atMs: number;
  readonly act: () => void;
}

/**
 * Takes the place of the timers, the clock and chance, for thousands of relays in one process: seconds pass as fast as what
 * happens in them is worked off, and with one seed always in the same way. Moments are whole milliseconds.
 */
export class SimulatedTime {
  nowMs = 1_000_000;
  readonly #seed: { state: number };
  readonly #due = new Map<number, Map<number, Due>>();
  #ids = 0;
  readonly #restore: () => void;
  readonly #realTurn = setImmediate;

  constructor(seed: number) {
    this.#seed = { state: seed };
    const { setTimeout, clearTimeout, setImmediate } = globalThis;
    const { random } = Math;
    const { now: dateNow } = Date;
    const now = performance.now.bind(performance);
    this.#restore = () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate });
      Object.assign(Math, { random });
      Object.assign(Date, { now: dateNow });
      Object.assign(performance, { now });
    };
    Object.assign(globalThis, {
      setTimeout: (act: Act, ms = 0, ...args: unknown[]) => this.after(ms, () => act(...args)),
      // A timer of a connection from before belongs to the real ones.
      clearTimeout: (timer?: { cancel?(): void }) =>
        timer?.cancel ? timer.cancel() : clearTimeout(timer as NodeJS.Timeout),
      setImmediate: (act: Act, ...args: unknown[]) => this.after(0, () => act(...args)),
    });
    Object.assign(Math, { random: () => this.random() });
    Object.assign(Date, { now: () => this.nowMs });
    Object.assign(performance, { now: () => this.nowMs });
  }

  /** Gives the real ones back. */
  end(): void {
    this.#restore();
  }

  /** mulberry32. @returns 0 to 1 */
  random(): number {
    this.#seed.state = (this.#seed.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#seed.state ^ (this.#seed.state >>> 15), 1 | this.#seed.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  after(ms: number, act: () => void) {
    const atMs = this.nowMs + Math.max(0, Math.ceil(ms));
    this.#ids += 1;
    const id = this.#ids;
    const moment = this.#due.get(atMs) ?? new Map<number, Due>();
    moment.set(id, { atMs, act });
    this.#due.set(atMs, moment);
    const timer = {
      cancel: () => void this.#due.get(atMs)?.delete(id),
      unref: () => timer,
    };
    return timer;
  }

  /** Works off everything that falls into the next milliseconds. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    for (;;) {
      await this.#workOff();
      if (this.nowMs === untilMs) return;
      this.nowMs += 1;
    }
  }

  /** What is due now, and what becomes due by it. */
  async #workOff(): Promise<void> {
    for (;;) {
      const moment = this.#due.get(this.nowMs);
      if (!moment || moment.size === 0) break;
      this.#due.delete(this.nowMs);
      for (const { act } of moment.values()) act();
      // Promises that were kept go on before the next moment.
      await new Promise<void>(done => void this.#realTurn.call(globalThis, done));
    }
    this.#due.delete(this.nowMs);
  }
}
