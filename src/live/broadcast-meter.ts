import { ballotToSendSeconds, broadcastSeconds } from '../metrics/catalogue.ts';
import type { Reading } from '../poll/poll.ts';

/** Measures how long ballots of one poll take to the sockets of its subscribers: once for each broadcast, not for each frame. */
export class BroadcastMeter {
  /** When the oldest ballot that was not broadcast yet was cast, in monotonic milliseconds of this process. */
  #castAtMs: number | undefined;

  /** @param beganMs when the read began, in monotonic milliseconds */
  onRead({ hintedAtMs, results }: Reading, before: Reading | undefined, beganMs: number): void {
    if (!before || hintedAtMs <= before.hintedAtMs) return;
    // A difference by the engine's clock, so that it does not matter whether the two clocks agree.
    this.#castAtMs ??= beganMs - (results.readAtMs - hintedAtMs);
  }

  onBroadcast(durationMs: number, subscriptions: number): void {
    if (subscriptions > 0) {
      broadcastSeconds.observe(durationMs);
      if (this.#castAtMs !== undefined) ballotToSendSeconds.observe(performance.now() - this.#castAtMs);
    }
    this.#castAtMs = undefined;
  }
}
