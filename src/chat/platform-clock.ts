import { setTimeout as wait } from 'node:timers/promises';
import { deferred } from '../engine/deferred.ts';

/** The resolution of the `Date` header. */
const RESOLUTION_MS = 1_000;
/** A clock that is being corrected runs at most so much faster or slower. */
const DRIFT = 0.000_5;
/** Requests that come one after the other, until the difference is known to some milliseconds. */
const REQUESTS = 8;
const CLOSE_ENOUGH_MS = 20;
const EVERY_MS = 600_000;
/** Without any reply. */
const RETRY_MS = 30_000;
const TIMEOUT_MS = 3_000;

/**
 * The clock of a platform, by the `Date` header of its own replies. Counts from
 * `performance.now()`, so the clock of this server plays no part. Each reply bounds the difference
 * from both sides, and all together bound it closer than a second.
 */
export class PlatformClock {
  #leastMs = Number.NEGATIVE_INFINITY;
  #mostMs = Number.POSITIVE_INFINITY;
  #learnedAtMs = 0;
  #asking: AbortController | undefined;
  readonly #firstAnswer = deferred();
  /** Resolves after the first reply, or the first request without one. */
  readonly asked = this.#firstAnswer.promise;
  #isAsked = false;
  readonly #pause: typeof pause;

  /** @param wait as `pause` */
  constructor(wait = pause) {
    this.#pause = wait;
  }

  get isAsked(): boolean {
    return this.#isAsked;
  }

  #endAsking(): void {
    this.#isAsked = true;
    this.#firstAnswer.resolve();
  }

  /** @param sentAtMs of the request, by `performance.now()` */
  learn({ headers }: Pick<Response, 'headers'>, sentAtMs: number): void {
    this.#endAsking();
    const receivedAtMs = performance.now();
    const date = Date.parse(headers.get('date') ?? '');
    // The reply of a cache is as old as its date.
    if (Number.isNaN(date) || Number(headers.get('age') ?? 0) > 0) return;
    const driftMs = DRIFT * (receivedAtMs - this.#learnedAtMs);
    const least = date - receivedAtMs;
    const most = date + RESOLUTION_MS - sentAtMs;
    this.#leastMs = Math.max(least, this.#leastMs - driftMs);
    this.#mostMs = Math.min(most, this.#mostMs + driftMs);
    // One of the clocks was changed meanwhile.
    if (this.#leastMs > this.#mostMs) [this.#leastMs, this.#mostMs] = [least, most];
    this.#learnedAtMs = receivedAtMs;
  }

  /** Half of the range in which the difference lies, in milliseconds. */
  get errorMs(): number {
    return (this.#mostMs - this.#leastMs) / 2;
  }

  /**
   * Returns the platform's time, UNIX time in milliseconds, at a time by `performance.now()`;
   * undefined before the first reply.
   */
  at(localMs: number): number | undefined {
    return Number.isFinite(this.errorMs) ? localMs + (this.#leastMs + this.#mostMs) / 2 : undefined;
  }

  /**
   * Asks a site for its `Date` every ten minutes, a few times at most, until `stop`. Starting again
   * changes nothing.
   */
  start(url: string): void {
    if (this.#asking) return;
    this.#asking = new AbortController();
    void this.#follow(url, this.#asking.signal);
  }

  stop(): void {
    this.#asking?.abort();
    this.#asking = undefined;
  }

  async #follow(url: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (let asked = 0; asked < REQUESTS && !signal.aborted; asked += 1) {
        const tookMs = await this.#ask(url, signal);
        if (tookMs === undefined || this.errorMs <= CLOSE_ENOUGH_MS + tookMs) break;
        // A request that arrives where the second may end halves the range.
        const arrivesMs = (this.at(performance.now()) ?? 0) + tookMs / 2;
        await this.#pause(RESOLUTION_MS - (arrivesMs % RESOLUTION_MS), signal);
      }
      await this.#pause(this.at(0) === undefined ? RETRY_MS : EVERY_MS, signal);
    }
  }

  /** @returns how long the reply took; undefined without one */
  async #ask(url: string, signal: AbortSignal): Promise<number | undefined> {
    const sentAtMs = performance.now();
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      this.learn(await fetch(url, { method: 'HEAD', redirect: 'manual', signal: limit }), sentAtMs);
      return performance.now() - sentAtMs;
    } catch {
      return undefined;
    } finally {
      this.#endAsking();
    }
  }
}

/** Ends early if the signal aborts. Keeps no process alive. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => {});
}
