import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { DAY_MS, imageFiles, type NextRound, type Poll, type PollId } from '../poll/poll.ts';
import { isEngineUnavailable } from '../poll/poll-error.ts';

/** A limit: requests per minute, or connections at a time. */
export interface Allowance {
  /** Shown in headers. MUST be a constant. */
  readonly name: string;
  readonly max: number;
}

export type TooMany = (retryAfterSeconds: number) => Error;

const WINDOW_MS = 60_000;
/** Names in memory; beyond it the oldest is dropped. */
const MAX_NAMES = 50_000;

/**
 * Counts a request and writes what is left to the reply's headers.
 *
 * @param caller the caller and what it asks for; may contain a key or an address
 * @returns undefined, or the error to reply with
 */
export function takeOne(
  reply: FastifyReply,
  counts: MinuteCounts,
  caller: string,
  allowance: Allowance,
  tooMany: TooMany,
): Error | undefined {
  const { current, ttl } = counts.add(caller);
  const resetSeconds = secondsUntil(ttl);
  writeAllowance(reply, allowance, allowance.max - current, resetSeconds, WINDOW_MS / 1_000);
  return current > allowance.max ? tooMany(resetSeconds) : undefined;
}

function secondsUntil(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs / 1_000));
}

/**
 * Writes the headers of draft-ietf-httpapi-ratelimit-headers-11, and the three older ones that more clients read.
 *
 * @param windowSeconds left out for a limit on connections
 */
export function writeAllowance(
  reply: FastifyReply,
  { name, max }: Allowance,
  left: number,
  resetSeconds: number,
  windowSeconds?: number,
): void {
  const remaining = Math.max(0, left);
  reply.headers({
    'ratelimit-policy': `"${name}";q=${max}${windowSeconds === undefined ? '' : `;w=${windowSeconds}`}`,
    ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
    'ratelimit-limit': max,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  });
}

/** Counts requests by name in each minute of UTC, in this process. */
export class MinuteCounts {
  readonly #clock: () => number;
  #minute = 0;
  readonly #counts = new Map<string, number>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** @returns the count of this minute, and milliseconds to its end */
  read(name: string): { readonly current: number; readonly ttl: number } {
    const nowMs = this.#clock();
    const minute = Math.floor(nowMs / WINDOW_MS);
    if (minute !== this.#minute) this.#counts.clear();
    this.#minute = minute;
    return { current: this.#counts.get(name) ?? 0, ttl: WINDOW_MS - (nowMs % WINDOW_MS) };
  }

  /** @returns the count with this one, and milliseconds to the end of the minute */
  add(name: string): { readonly current: number; readonly ttl: number } {
    const { current: before, ttl } = this.read(name);
    const current = before + 1;
    this.#counts.set(name, current);
    if (this.#counts.size > MAX_NAMES) this.#counts.delete(this.#counts.keys().next().value as string);
    return { current, ttl };
  }
}

/**
 * Upper bounds of stored bytes, index and expiry included. Measured for a small poll: 1,100 in
 * LMDB, 2,200 in Redis.
 */
const POLL_BYTES = 3_000;
const ANSWER_BYTES = 150;
const TEXT_FACTOR = 1.5;
/** The size to which changes can grow a show, with the presses that can be undone. */
export const SHOW_BYTES = 18_000;
export const KEPT_REPLY_BYTES = 1_500;
/** Events of a change of a poll or a show in the log. */
export const EVENT_BYTES = 2_500;
/** A rule by which ballots are voided, in Redis and LMDB. */
export const RULE_BYTES = 300;
/** A webhook with a long URL, and its progress. */
export const WEBHOOK_BYTES = 5_000;
/** Name, index and expiry of a record. */
const RECORD_BYTES = 1_000;

export function bytesOfPoll(poll: Poll): number {
  const written = Buffer.byteLength(JSON.stringify(poll));
  return Math.ceil(POLL_BYTES + poll.answers.length * ANSWER_BYTES + TEXT_FACTOR * written);
}

/** With the images that it takes over. */
export async function bytesOfRound(
  { poll }: NextRound,
  polls: { findImage(id: PollId, file: string): Promise<string | undefined> },
): Promise<number> {
  const sizes = imageFiles(poll).map(async file =>
    bytesOfImage((await polls.findImage(poll.id, file)) ?? ''),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, bytesOfPoll(poll));
}

/** @param data in base64, as it is stored */
export function bytesOfImage(data: string): number {
  return RECORD_BYTES + data.length;
}

/** @returns undefined for 0: no expiry */
export function daysToMs(days: number): number | undefined {
  return days === 0 ? undefined : days * DAY_MS;
}

/** Record of the secret for digests, shared by all processes and in no export. */
const SECRET = 'secret:limits';
const DIGEST_CHARACTERS = 24;

interface SpendingRecords {
  putIfAbsent(name: typeof SECRET, text: string): Promise<string>;
  spend(name: `limits:${string}`, amount: number, budget: number, ttlMs: number): Promise<boolean>;
}

/** Limits the bytes that an address or a poll stores in a UTC day, over all processes on one engine; 0 is no limit. */
export class ByteBudget {
  readonly #records: SpendingRecords;
  readonly #bytesPerDay: number;
  readonly #clock: () => number;
  #secret: string | undefined;

  constructor(records: SpendingRecords, bytesPerDay: number, clock: () => number) {
    this.#records = records;
    this.#bytesPerDay = bytesPerDay;
    this.#clock = clock;
  }

  /** @param payer an address or `poll <id>` @returns undefined if taken, else seconds until the budget is renewed */
  async take(payer: string, bytes: number): Promise<number | undefined> {
    if (this.#bytesPerDay === 0) return undefined;
    try {
      return await this.#take(payer, bytes);
    } catch (error) {
      // The disk may be full: then only changes that end something are stored.
      if (isEngineUnavailable(error) && bytes <= EVENT_BYTES) return undefined;
      throw error;
    }
  }

  async #take(payer: string, bytes: number): Promise<number | undefined> {
    const digest = await this.digestOf(`bytes of ${payer}`);
    const nowMs = this.#clock();
    const day = Math.floor(nowMs / DAY_MS);
    const leftMs = (day + 1) * DAY_MS - nowMs;
    const isTaken = await this.#records.spend(
      `limits:bytes:${day}:${digest}`,
      bytes,
      this.#bytesPerDay,
      leftMs,
    );
    return isTaken ? undefined : secondsUntil(leftMs);
  }

  /** So that no address is stored. @param text with an address */
  async digestOf(text: string): Promise<string> {
    this.#secret ??= await this.#records.putIfAbsent(SECRET, randomBytes(32).toString('base64url'));
    const hmac = createHmac('sha256', this.#secret).update(text).digest('base64url');
    return hmac.slice(0, DIGEST_CHARACTERS);
  }
}
