/** A sample that is lower by more than this means that the local clock was set, not that the network was slow. */
const CLOCK_WAS_SET_MS = 10_000;

/**
 * Estimates the server's clock from its timestamps. Delay and truncation make samples too low, so
 * the highest one is the best.
 */
export class ServerClock {
  #offsetMs: number | undefined;

  /** @param serverMs UNIX time in milliseconds, from the server @param localMs local time of arrival */
  observe(serverMs: number, localMs = Date.now()): void {
    const sample = serverMs - localMs;
    const clockWasSet = this.#offsetMs !== undefined && sample < this.#offsetMs - CLOCK_WAS_SET_MS;
    if (this.#offsetMs === undefined || clockWasSet || sample > this.#offsetMs) this.#offsetMs = sample;
  }

  /** Returns UNIX time in milliseconds; local time before the first sample. */
  now(localMs = Date.now()): number {
    return localMs + (this.#offsetMs ?? 0);
  }
}
