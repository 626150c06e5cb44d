import { readFileSync } from 'node:fs';

/**
 * Time as this process had it: what has passed since the start, less what the machine kept it waiting for a processor. A
 * promise of a second is one about the relay, and not about what else the machine does.
 */
export class Stopwatch {
  readonly #processes: readonly (number | 'thread-self')[];
  readonly #startedAtMs = performance.now();
  readonly #withheldBeforeMs: number;

  /** @param pids other processes whose waiting counts, too, such as that of a Redis */
  constructor(...pids: (number | undefined)[]) {
    this.#processes = ['thread-self' as const, ...pids.filter(pid => pid !== undefined)];
    this.#withheldBeforeMs = this.#withheldMs();
  }

  get ms(): number {
    return performance.now() - this.#startedAtMs - (this.#withheldMs() - this.#withheldBeforeMs);
  }

  #withheldMs(): number {
    return this.#processes.reduce<number>((sum, pid) => sum + withheldMs(pid), 0);
  }
}

/** Linux alone tells; elsewhere nothing is subtracted. */
function withheldMs(pid: number | 'thread-self'): number {
  try {
    // Time on a processor, time waiting for one (both in nanoseconds), and how often it got one.
    const [, waitedNs = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
    return waitedNs / 1e6;
  } catch {
    return 0;
  }
}
