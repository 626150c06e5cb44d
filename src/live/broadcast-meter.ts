import { ballotToSendSeconds, broadcastSeconds } from '../metrics/catalogue.ts';
import type { Reading } from '../poll/poll.ts';

/** Measures how long a ballot of one poll takes to the sockets of those who watch: once for each broadcast, not for each frame. */
export class BroadcastMeter {
  /** When the oldest ballot was cast that has not been handed out yet, in monotonic milliseconds of this process. */
  #castAtMs: number | undefined;

  /** @param beganMs when the reading was begun, in monotonic milliseconds */
  noteReading({ hintedAtMs, results }: Reading, before: Reading | undefined, beganMs: number): void {
    if (!before || hintedAtMs <= before.hintedAtMs) return;
    // Two moments by the engine's clock, counted from one of ours: it does not matter whether the two clocks agree.
    this.#castAtMs ??= beganMs - (results.readAtMs - hintedAtMs);
  }

  /**
   * @param tookMs of handing it out
   * @param seats that it was handed to
   */
  noteBroadcast(tookMs: number, seats: number): void {
    if (seats > 0) {
      broadcastSeconds.observe(tookMs);
      if (this.#castAtMs !== undefined) ballotToSendSeconds.observe(performance.now() - this.#castAtMs);
    }
    this.#castAtMs = undefined;
  }
}
