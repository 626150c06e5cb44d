/** A hundred polls may be subscribed to at once, and all of them again; after that, a message every 100 ms. */
const BURST = 200;
const REFILL_MS = 100;

/** How many messages a connection may still send: a token bucket without a timer. */
export class MessageBudget {
  #tokens = BURST;
  #countedAtMs: number;

  /** @param nowMs monotonic milliseconds */
  constructor(nowMs: number) {
    this.#countedAtMs = nowMs;
  }

  spend(nowMs: number): boolean {
    const refill = Math.floor((nowMs - this.#countedAtMs) / REFILL_MS);
    this.#tokens = Math.min(BURST, this.#tokens + refill);
    this.#countedAtMs += refill * REFILL_MS;
    if (this.#tokens === 0) return false;
    this.#tokens -= 1;
    return true;
  }
}
