import { randomBytes } from 'node:crypto';
import type { PollId } from '../poll/poll.ts';
import type { Records } from './records.ts';

/**
 * How many screens watch a poll, over all relays: each relay writes down now and then how many it has, and whoever wants to know
 * adds that up. A relay that ends without a word is forgotten with its record.
 */

const REPORT_MS = 2_000;
/** A record that says the same is written again, so that it outlives its time. */
const RENEW_MS = 6_000;
const TTL_MS = 15_000;
/** The relays are listed anew, without those whose records have ended. */
const ENROL_MS = 60_000;
/** Of each relay, the most watched: a record stays small. */
const MOST_POLLS = 500;

const ROLL = 'audience';

/** Screens by poll. */
export type Audience = ReadonlyMap<PollId, number>;

/** What one relay tells. It writes nothing while nobody watches there. */
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
      await this.#enrol(nowMs);
    } catch {
      // The engine is away: told again with the next report.
      this.#text = '';
    }
    this.#isBusy = false;
  }

  async #enrol(nowMs: number): Promise<void> {
    if (nowMs - this.#enrolledMs < ENROL_MS) return;
    await enrol(this.#records, this.#id);
    this.#enrolledMs = nowMs;
  }
}

/** Screens that watch each of these polls, in order. */
export async function countAudience(records: Records, ids: readonly PollId[]): Promise<number[]> {
  const roll = await records.find(ROLL);
  const texts = roll === undefined ? [] : await records.findMany(relaysOf(roll).map(recordOf));
  const told = texts.map(text => JSON.parse(text ?? '{}') as Record<PollId, number>);
  return ids.map(id => told.reduce((sum, audience) => sum + (audience[id] ?? 0), 0));
}

/** Adds a relay to the roll and strikes off those that are gone: of two who do so at once, the later one begins again. */
async function enrol(records: Records, id: string): Promise<void> {
  for (;;) {
    const roll = await records.putIfAbsent(ROLL, JSON.stringify([id]));
    const others = relaysOf(roll).filter(relay => relay !== id);
    const texts = await records.findMany(others.map(recordOf));
    const there = others.filter((_, index) => texts[index] !== undefined);
    if (await records.replace(ROLL, roll, JSON.stringify([...there, id]))) return;
  }
}

function relaysOf(roll: string): string[] {
  return JSON.parse(roll);
}

function recordOf(relay: string): string {
  return `audience:${relay}`;
}
