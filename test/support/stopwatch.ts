import { readFileSync } from 'node:fs';

/** How often another process is looked at, because one that has ended tells no more. */
const LOOK_EVERY_MS = 20;

/**
 * Time as this process had it: what has passed since the start, less what the machine kept it
 * waiting for a processor. A promise of a second is one about the relay, and not about what else
 * the machine does.
 */
export class Stopwatch {
  readonly #startedAtMs = performance.now();
  readonly #waits = [new Wait('thread-self')];
  #looking: NodeJS.Timeout | undefined;

  /** @param pids other processes whose waiting counts, too, such as that of a Redis */
  constructor(...pids: (number | undefined)[]) {
    for (const pid of pids) this.add(pid);
  }

  /** From now on the waiting of this process counts, too. */
  add(pid: number | undefined): void {
    if (pid === undefined) return;
    this.#waits.push(new Wait(pid));
    this.#looking ??= setInterval(() => {
      if (this.#waits.slice(1).some(wait => wait.look())) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    }, LOOK_EVERY_MS).unref();
  }

  /** Time by the clock. */
  get wallMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  get ms(): number {
    for (const wait of this.#waits) wait.look();
    return this.wallMs - this.#waits.reduce((sum, { ms }) => sum + ms, 0);
  }
}

/** What one thread has waited for a processor since the first look. Linux alone tells; elsewhere it is nothing. */
class Wait {
  readonly #id: string | number;
  readonly #beforeMs: number;
  ms = 0;

  constructor(id: string | number) {
    this.#id = id;
    this.#beforeMs = waitedMs(id) ?? 0;
  }

  /** @returns whether there was anything to see */
  look(): boolean {
    const nowMs = waitedMs(this.#id);
    if (nowMs === undefined) return false;
    this.ms = nowMs - this.#beforeMs;
    return true;
  }
}

/**
 * What a thread, or the main thread of a process, has waited for a processor since its start;
 * undefined if the system doesn't report it.
 */
export function waitedMs(id: string | number): number | undefined {
  try {
    // Time on a processor, time waiting for one (both in nanoseconds), and how often it got one.
    const [, waitedNs = 0] = readFileSync(`/proc/${id}/schedstat`, 'utf8').split(' ').map(Number);
    return waitedNs / 1e6;
  } catch {
    return undefined;
  }
}
