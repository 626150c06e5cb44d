import { randomBytes } from 'node:crypto';
import type { PollId } from '../poll/poll.ts';
import type { Records } from './engine.ts';

/** How many screens watch a poll over all relays. Each relay writes a record of its own; readers add them up. */

const REPORT_MS = 2_000;
/** An unchanged record is written again, so that it does not expire. */
const RENEW_MS = 6_000;
const TTL_MS = 15_000;
/** Between two updates of the list of relays, which drop those whose records have expired. */
const ENROL_MS = 60_000;
/** In a relay's record, the most watched: it stays small. */
const MOST_POLLS = 500;

const RELAYS = 'audience';

export type Audience = ReadonlyMap<PollId, number>;

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
    const most = [...this.#read()].sort(([, one], [, other]) => other - one).slice(0, MOST_POLLS);
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

export async function countAudience(records: Records, ids: readonly PollId[]): Promise<number[]> {
  const list = await records.find(RELAYS);
  const texts = list === undefined ? [] : await records.findMany(relaysIn(list).map(recordOf));
  const audiences = texts.map(text => JSON.parse(text ?? '{}') as Record<PollId, number>);
  return ids.map(id => audiences.reduce((sum, audience) => sum + (audience[id] ?? 0), 0));
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
