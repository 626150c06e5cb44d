import type { Known } from './picture.ts';

/**
 * When a poll ended, so that the overlay can go `hide` seconds later. A poll that its deadline closed ended at
 * its deadline, also for a page that is loaded later; one that a hand closed ended when it was first seen so.
 */
export class Ending {
  #seenMs: number | undefined;
  #id: string | undefined;

  /** @param nowMs by the server's clock. Returns UNIX time in milliseconds, or undefined while the poll is open. */
  observe(known: Known | undefined, nowMs: number): number | undefined {
    if (known?.id !== this.#id || known?.status !== 'closed') this.#seenMs = undefined;
    this.#id = known?.id;
    if (known?.status !== 'closed') return undefined;
    this.#seenMs ??= nowMs;
    const deadlineMs = known.deadline === null ? Number.POSITIVE_INFINITY : Date.parse(known.deadline);
    return Math.min(this.#seenMs, deadlineMs);
  }
}
