import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Poll } from '../poll/poll.ts';

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
const EXCHANGE_INTERVAL_MS = 1_000;
/** Counts below this share of a limit are not published. */
const MIN_PUBLISHED_SHARE = 1 / 20;
const MAX_PUBLISHED = 1_000;
/** Records that processes publish in. A process without one counts alone. */
const PLACES = Array.from({ length: 64 }, (_, n) => `limits:${n}`);
/** Record of the secret for digests, shared by all processes and in no export. */
const SECRET = 'secret:limits';
const DIGEST_CHARACTERS = 24;
const CLOCK_MARGIN_MS = 5_000;

/**
 * Counts a request and writes what is left to the reply's headers.
 *
 * @param caller the caller and what it asks for; may contain a key or an address
 * @returns undefined, or the error to reply with
 */
export function takeOne(
  reply: FastifyReply,
  counts: SharedCounts,
  caller: string,
  allowance: Allowance,
  tooMany: TooMany,
): Error | undefined {
  const { current, ttl } = counts.add(caller, allowance.max);
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

/** Where processes exchange counts, such as the engine's records. */
export interface CountRecords {
  findMany(names: readonly string[]): Promise<(string | undefined)[]>;
  putIfAbsent(name: string, text: string, ttlMs?: number): Promise<string>;
  put(name: string, text: string, ttlMs?: number): Promise<void>;
}

interface Published {
  readonly from: string;
  readonly window: number;
  readonly counts: Readonly<Record<string, number>>;
}

interface Own {
  count: number;
  /** Published in place of the name, so that no address is stored. */
  digest?: string;
}

/**
 * Counts per minute, for limits over all processes on one engine. Processes exchange their counts once a second by two commands each,
 * so a limit may be exceeded by what all of them accept within a second.
 */
export class SharedCounts {
  readonly #records: CountRecords;
  readonly #clock: () => number;
  readonly #id = randomUUID();
  readonly #timer: NodeJS.Timeout;
  #window = 0;
  #own = new Map<string, Own>();
  #toPublish = new Set<string>();
  #elsewhere = new Map<string, number>();
  #hasChanged = false;
  #secret: string | undefined;

  constructor(records: CountRecords, clock: () => number) {
    this.#records = records;
    this.#clock = clock;
    this.#timer = setInterval(() => void this.#exchange().catch(() => {}), EXCHANGE_INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** @returns the count of this minute over all processes, and milliseconds to the end of the minute */
  add(name: string, max: number): { readonly current: number; readonly ttl: number } {
    const own = this.#ownOf(name);
    own.count += 1;
    this.#hasChanged = true;
    if (own.count >= max * MIN_PUBLISHED_SHARE && this.#toPublish.size < MAX_PUBLISHED)
      this.#toPublish.add(name);
    const elsewhere = own.digest === undefined ? 0 : (this.#elsewhere.get(own.digest) ?? 0);
    return { current: own.count + elsewhere, ttl: this.#msLeft() };
  }

  #msLeft(): number {
    return WINDOW_MS - (this.#clock() % WINDOW_MS);
  }

  #ownOf(name: string): Own {
    this.#turnWindow();
    const known = this.#own.get(name);
    if (known) return known;
    const own = { count: 0 };
    this.#own.set(name, own);
    for (const oldest of this.#own.keys()) {
      if (this.#own.size <= MAX_NAMES) break;
      this.#own.delete(oldest);
    }
    return own;
  }

  #turnWindow(): void {
    const window = Math.floor(this.#clock() / WINDOW_MS);
    if (window === this.#window) return;
    this.#window = window;
    this.#own = new Map();
    this.#toPublish = new Set();
    this.#elsewhere = new Map();
  }

  async #exchange(): Promise<void> {
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    const texts = await this.#records.findMany(PLACES);
    const published = texts.map(text => JSON.parse(text ?? '{}') as Partial<Published>);
    const elsewhere = new Map<string, number>();
    for (const { from, window, counts } of published) {
      if (from === this.#id || window !== this.#window) continue;
      for (const [digest, count] of Object.entries(counts ?? {}))
        elsewhere.set(digest, (elsewhere.get(digest) ?? 0) + count);
    }
    this.#elsewhere = elsewhere;
    const text = JSON.stringify(await this.#ownCounts());
    // Kept to the end of the minute, so that the counts of a process that ends still apply.
    const ttlMs = this.#msLeft() + CLOCK_MARGIN_MS;
    const place = PLACES[published.findIndex(({ from }) => from === this.#id)];
    if (place !== undefined) await this.#records.put(place, text, ttlMs);
    else await this.#takePlace(text, published, ttlMs);
  }

  async #ownCounts(): Promise<Published> {
    this.#secret ??= await findSecret(this.#records);
    const counts: Record<string, number> = {};
    for (const name of this.#toPublish) {
      const own = this.#own.get(name);
      if (!own) continue;
      own.digest ??= digest(this.#secret, name);
      counts[own.digest] = own.count;
    }
    return { from: this.#id, window: this.#window, counts };
  }

  async #takePlace(text: string, published: readonly Partial<Published>[], ttlMs: number): Promise<void> {
    for (const [index, place] of PLACES.entries())
      if (published[index]?.from === undefined)
        if ((await this.#records.putIfAbsent(place, text, ttlMs)) === text) return;
  }
}

function findSecret(records: Pick<CountRecords, 'putIfAbsent'>): Promise<string> {
  return records.putIfAbsent(SECRET, randomBytes(32).toString('base64url'));
}

function digest(secret: string, name: string): string {
  return createHmac('sha256', secret).update(name).digest('base64url').slice(0, DIGEST_CHARACTERS);
}

const DAY_MS = 86_400_000;
/** Upper bounds of stored bytes, index and expiry included. Measured for a small poll: 1,100 in LMDB, 2,200 in Redis. */
const [POLL_BYTES, ANSWER_BYTES, TEXT_FACTOR] = [3_000, 150, 1.5];
/** The size to which changes can grow a show. */
export const SHOW_BYTES = 11_000;
export const KEPT_REPLY_BYTES = 1_500;
/** Events of a change of a poll or a show in the log. */
export const EVENT_BYTES = 2_500;
/** A rule by which ballots are voided, in Redis and LMDB. */
export const RULE_BYTES = 300;
/** Name, index and expiry of a record. */
const RECORD_BYTES = 1_000;

export function bytesOfPoll(poll: Poll): number {
  const written = Buffer.byteLength(JSON.stringify(poll));
  return Math.ceil(POLL_BYTES + poll.answers.length * ANSWER_BYTES + TEXT_FACTOR * written);
}

/** @param bytes of an image, which is stored in base64 */
export function bytesOfImage(bytes: number): number {
  return RECORD_BYTES + Math.ceil(bytes / 3) * 4;
}

/** @returns undefined for 0: no expiry */
export function daysToMs(days: number): number | undefined {
  return days === 0 ? undefined : days * DAY_MS;
}

interface SpendingRecords extends Pick<CountRecords, 'putIfAbsent'> {
  spend(name: string, amount: number, budget: number, ttlMs: number): Promise<boolean>;
}

/** Limits the bytes that an address may have stored by creating in a UTC day, over all processes on one engine. */
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

  /** @returns undefined if taken, else the seconds until the budget is renewed */
  async take(address: string, bytes: number): Promise<number | undefined> {
    this.#secret ??= await findSecret(this.#records);
    const nowMs = this.#clock();
    const day = Math.floor(nowMs / DAY_MS);
    const leftMs = (day + 1) * DAY_MS - nowMs;
    // A digest, so that no address is stored.
    const name = `limits:bytes:${day}:${digest(this.#secret, `bytes of ${address}`)}`;
    const isTaken = await this.#records.spend(name, bytes, this.#bytesPerDay, leftMs);
    return isTaken ? undefined : secondsUntil(leftMs);
  }
}
