import { randomBytes } from 'node:crypto';
import type { PollId } from '../poll/poll.ts';
import type { Records } from './engine.ts';

/**
 * How many screens and voters' pages watch a poll over all relays, and how many pages follow a show over all voting servers. Each
 * process writes a record of its own; readers add them up.
 */

const REPORT_MS = 2_000;
/** An unchanged record is written again, so that it does not expire. */
const RENEW_MS = 6_000;
const TTL_MS = 15_000;
/** Between two updates of the list of relays, which drop those whose records have expired. */
const ENROL_MS = 60_000;
/** In a process's record, the largest counts: it stays small. */
const MOST_COUNTS = 1_000;

const RELAYS = 'audience';

/** Counts by what is watched: the id of a poll for its screens, else `pagesOf` or `followersOf`. */
export type Audience = ReadonlyMap<string, number>;

/** The voters' pages with live results of a poll. */
export function pagesOf(id: PollId): string {
  return `page:${id}`;
}

/** The voters' pages that follow a show. */
export function followersOf(show: string): string {
  return `show:${show}`;
}

export class AudienceReport {
  readonly #records: Records;
  readonly #read: () => Audience;
  readonly #id = randomBytes(9).toString('base64url');
  readonly #timer: NodeJS.Timeout;
  #text = '{}';
  #writtenMs = Number.NEGATIVE_INFINITY;
  #enrolledMs = Number.NEGATIVE_INFINITY;
  #isBusy = false;

  constructor(records: Records, read: () => Audience) {
    this.#records = records;
    this.#read = read;
    this.#timer = setInterval(() => void this.#report(), REPORT_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #report(): Promise<void> {
    if (this.#isBusy) return;
    const nowMs = performance.now();
    const most = [...this.#read()].sort(([, one], [, other]) => other - one).slice(0, MOST_COUNTS);
    const text = JSON.stringify(Object.fromEntries(most));
    const isDue = text !== '{}' && nowMs - this.#writtenMs > RENEW_MS;
    if (text === this.#text && !isDue) return;
    this.#isBusy = true;
    try {
      await this.#records.put(recordOf(this.#id), text, TTL_MS);
      this.#text = text;
      this.#writtenMs = nowMs;
      if (nowMs - this.#enrolledMs >= ENROL_MS) {
        await enrol(this.#records, this.#id);
        this.#enrolledMs = nowMs;
      }
    } catch {
      this.#text = '';
    }
    this.#isBusy = false;
  }
}

/** @param names of counts, see `Audience` */
export async function countAudience(records: Records, names: readonly string[]): Promise<number[]> {
  const list = await records.find(RELAYS);
  const texts = list === undefined ? [] : await records.findMany(relaysIn(list).map(recordOf));
  const audiences = texts.map(text => JSON.parse(text ?? '{}') as Record<string, number>);
  return names.map(name => audiences.reduce((sum, audience) => sum + (audience[name] ?? 0), 0));
}

/** Screens and voters' pages of each poll, together. */
export async function countViewers(records: Records, ids: readonly PollId[]): Promise<number[]> {
  const counts = await countAudience(records, [...ids, ...ids.map(pagesOf)]);
  return ids.map((_, index) => counts[index]! + counts[ids.length + index]!);
}

/** Adds a relay to the list and drops those without a record. Repeats if another relay has changed the list meanwhile. */
async function enrol(records: Records, id: string): Promise<void> {
  for (;;) {
    const list = await records.putIfAbsent(RELAYS, JSON.stringify([id]));
    const others = relaysIn(list).filter(relay => relay !== id);
    const texts = await records.findMany(others.map(recordOf));
    const present = others.filter((_, index) => texts[index] !== undefined);
    if (await records.replace(RELAYS, list, JSON.stringify([...present, id]))) return;
  }
}

function relaysIn(list: string): string[] {
  return JSON.parse(list);
}

function recordOf(relay: string): string {
  return `audience:${relay}`;
}
