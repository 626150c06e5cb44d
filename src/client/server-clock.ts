/** A lower sample than this means that a clock was set, not that the network was slow. */
const CLOCK_WAS_SET_MS = 10_000;

/**
 * The time by the server's clock, however wrong that of this machine is, from moments that the server wrote into its
 * messages and pages. They arrive late and may be cut to whole seconds, both of which make a sample too low and never too
 * high: the highest sample is the best.
 */
export class ServerClock {
  #offsetMs: number | undefined;

  /**
   * @param serverMs UNIX time in milliseconds, by the server
   * @param localMs when it arrived, by this machine
   */
  observe(serverMs: number, localMs = Date.now()): void {
    const sample = serverMs - localMs;
    const clockWasSet = this.#offsetMs !== undefined && sample < this.#offsetMs - CLOCK_WAS_SET_MS;
    if (this.#offsetMs === undefined || clockWasSet || sample > this.#offsetMs) this.#offsetMs = sample;
  }

  /** UNIX time in milliseconds; this machine's own until the server was heard. */
  now(localMs = Date.now()): number {
    return localMs + (this.#offsetMs ?? 0);
  }
}
