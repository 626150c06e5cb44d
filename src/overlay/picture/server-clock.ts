/** A lower sample than this means that a clock was set, not that the network was slow. */
const CLOCK_WAS_SET_MS = 10_000;

/**
 * The time by the server's clock, from the timestamps of its messages. They are cut to whole seconds and
 * arrive late, both of which make a sample too low and never too high: the highest sample is the best.
 */
export class ServerClock {
  #offsetMs: number | undefined;

  /** @param timestamp UNIX time in whole seconds, by the server; `localMs` is when it arrived, by this machine. */
  observe(timestamp: number, localMs: number): void {
    const sample = timestamp * 1000 - localMs;
    const clockWasSet = this.#offsetMs !== undefined && sample < this.#offsetMs - CLOCK_WAS_SET_MS;
    if (this.#offsetMs === undefined || clockWasSet || sample > this.#offsetMs) this.#offsetMs = sample;
  }

  /** UNIX time in milliseconds; this machine's own until a message came. */
  now(localMs: number): number {
    return localMs + (this.#offsetMs ?? 0);
  }
}
