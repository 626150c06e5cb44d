import { createHmac, randomBytes, randomUUID } from 'node:crypto';

/** Where processes tell each other. The engine's records are one. */
export interface CountRecords {
  findMany(names: readonly string[]): Promise<(string | undefined)[]>;
  putIfAbsent(name: string, text: string, ttlMs?: number): Promise<string>;
  put(name: string, text: string, ttlMs?: number): Promise<void>;
}

/** What was counted in this minute, here and elsewhere. */
export interface Counted {
  readonly current: number;
  /** Milliseconds to the end of the minute. */
  readonly ttl: number;
}

export const WINDOW_MS = 60_000;
/** Names remembered at a time; beyond it the one that came first is forgotten. */
const REMEMBERED = 50_000;
const SHARE_EVERY_MS = 1_000;
/** Who has used up less than that of a limit is no news to the others. */
const WORTH_TELLING = 1 / 20;
const MOST_TOLD = 1_000;
/** Processes that know of each other. Whoever finds no place counts alone. */
const PLACES = Array.from({ length: 64 }, (_, n) => `limits:${n}`);
/** Name of the record that digests are made with: the same in all processes, and in no request. */
const SECRET = 'secret:limits';
const DIGEST_CHARACTERS = 24;
/** Clocks of two processes differ by less. */
const CLOCK_MARGIN_MS = 5_000;

interface Told {
  readonly from: string;
  readonly window: number;
  readonly counts: Readonly<Record<string, number>>;
}

interface Own {
  count: number;
  /** What it will be known by elsewhere, as no address is ever stored. */
  digest?: string;
}

/**
 * Counts of one minute, for limits that hold over all processes that serve one audience. Each tells the others once a second what
 * it has counted, so a limit may be passed by what all of them let in within a second, and costs the engine two commands a second
 * and process, however many requests there are.
 */
export class SharedCounts {
  readonly #records: CountRecords;
  readonly #clock: () => number;
  readonly #id = randomUUID();
  readonly #timer: NodeJS.Timeout;
  #window = 0;
  #own = new Map<string, Own>();
  #worthTelling = new Set<string>();
  #elsewhere = new Map<string, number>();
  #isNew = false;
  #secret: string | undefined;

  /** @param clock UNIX time in milliseconds */
  constructor(records: CountRecords, clock: () => number) {
    this.#records = records;
    this.#clock = clock;
    this.#timer = setInterval(() => void this.#share().catch(() => {}), SHARE_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** @param max the limit: what comes near it is told to the others */
  add(name: string, max: number): Counted {
    const own = this.#ownOf(name);
    own.count += 1;
    this.#isNew = true;
    if (own.count >= max * WORTH_TELLING && this.#worthTelling.size < MOST_TOLD) this.#worthTelling.add(name);
    return this.#counted(own);
  }

  #counted({ count, digest }: Own): Counted {
    const elsewhere = digest === undefined ? 0 : (this.#elsewhere.get(digest) ?? 0);
    return { current: count + elsewhere, ttl: this.#msLeft() };
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
      if (this.#own.size <= REMEMBERED) break;
      this.#own.delete(oldest);
    }
    return own;
  }

  #turnWindow(): void {
    const window = Math.floor(this.#clock() / WINDOW_MS);
    if (window === this.#window) return;
    this.#window = window;
    this.#own = new Map();
    this.#worthTelling = new Set();
    this.#elsewhere = new Map();
  }

  async #share(): Promise<void> {
    if (!this.#isNew) return;
    this.#isNew = false;
    const texts = await this.#records.findMany(PLACES);
    const told = texts.map(text => JSON.parse(text ?? '{}') as Partial<Told>);
    const elsewhere = new Map<string, number>();
    for (const { from, window, counts } of told) {
      if (from === this.#id || window !== this.#window) continue;
      for (const [digest, count] of Object.entries(counts ?? {}))
        elsewhere.set(digest, (elsewhere.get(digest) ?? 0) + count);
    }
    this.#elsewhere = elsewhere;
    const text = JSON.stringify(await this.#news());
    // Held to the end of the minute, so that a process that falls silent, or ends, counts for all of it.
    const keptMs = this.#msLeft() + CLOCK_MARGIN_MS;
    const place = PLACES[told.findIndex(({ from }) => from === this.#id)];
    if (place !== undefined) await this.#records.put(place, text, keptMs);
    else await this.#takePlace(text, told, keptMs);
  }

  async #news(): Promise<Told> {
    this.#secret ??= await this.#records.putIfAbsent(SECRET, randomBytes(32).toString('base64url'));
    const counts: Record<string, number> = {};
    for (const name of this.#worthTelling) {
      const own = this.#own.get(name);
      if (!own) continue;
      own.digest ??= digest(this.#secret, name);
      counts[own.digest] = own.count;
    }
    return { from: this.#id, window: this.#window, counts };
  }

  async #takePlace(text: string, told: readonly Partial<Told>[], keptMs: number): Promise<void> {
    for (const [index, place] of PLACES.entries())
      if (told[index]?.from === undefined)
        if ((await this.#records.putIfAbsent(place, text, keptMs)) === text) return;
  }
}

function digest(secret: string, name: string): string {
  return createHmac('sha256', secret).update(name).digest('base64url').slice(0, DIGEST_CHARACTERS);
}
