import { createHmac, randomBytes } from 'node:crypto';
import type { Poll } from '../poll/poll.ts';
import { secondsUntil } from './rate-limit.ts';

/** How much one address may have stored in a day (UTC) by creating, over all processes on one engine. */

const DAY_MS = 86_400_000;
const DIGEST_CHARACTERS = 24;
/** The same in all processes, and in no archive. */
const SECRET = 'secret:limits';

/**
 * Upper bounds of what is stored, index entries and expiry included. Measured: 1,100 bytes for a small poll in LMDB and 2,200 in
 * Redis; both round large texts up.
 */
const [POLL_BYTES, ANSWER_BYTES, TEXT_FACTOR] = [3_000, 150, 1.5];
/** A show can grow to this by changes. */
export const SHOW_BYTES = 8_000;
export const KEPT_REPLY_BYTES = 1_500;

export function bytesOfPoll(poll: Poll): number {
  const written = Buffer.byteLength(JSON.stringify(poll));
  return Math.ceil(POLL_BYTES + poll.answers.length * ANSWER_BYTES + TEXT_FACTOR * written);
}

/** Where it is noted what has been spent. The engine's records are one. */
interface SpendingRecords {
  putIfAbsent(name: string, text: string): Promise<string>;
  spend(name: string, amount: number, budget: number, ttlMs: number): Promise<boolean>;
}

/** @returns undefined where nothing expires */
export function daysToMs(days: number): number | undefined {
  return days === 0 ? undefined : days * DAY_MS;
}

export class ByteBudget {
  readonly #records: SpendingRecords;
  readonly #bytesPerDay: number;
  readonly #clock: () => number;
  #secret: string | undefined;

  /** @param clock UNIX time in milliseconds */
  constructor(records: SpendingRecords, bytesPerDay: number, clock: () => number) {
    this.#records = records;
    this.#bytesPerDay = bytesPerDay;
    this.#clock = clock;
  }

  /** @returns undefined, or the seconds until there is more where nothing was taken, because it would be too much */
  async take(address: string, bytes: number): Promise<number | undefined> {
    this.#secret ??= await this.#records.putIfAbsent(SECRET, randomBytes(32).toString('base64url'));
    const nowMs = this.#clock();
    const day = Math.floor(nowMs / DAY_MS);
    const restMs = (day + 1) * DAY_MS - nowMs;
    // No address is ever stored.
    const digest = createHmac('sha256', this.#secret).update(`bytes of ${address}`).digest('base64url');
    const name = `limits:bytes:${day}:${digest.slice(0, DIGEST_CHARACTERS)}`;
    const isTaken = await this.#records.spend(name, bytes, this.#bytesPerDay, restMs);
    return isTaken ? undefined : secondsUntil(restMs);
  }
}
