import type { PollId } from '../poll/poll.ts';
import type { Records } from './engine.ts';
import { ProcessRecords, readProcessRecords, reportEvery } from './process-records.ts';

/**
 * How many screens and voters' pages watch a poll and how many screens follow a show over all
 * relays, and how many pages follow a show over all voting servers. Each process writes a record of
 * its own; readers add them up.
 */

const REPORT_MS = 2_000;
/** In a process's record, the largest counts: it stays small. */
const MOST_COUNTS = 1_000;

const AUDIENCE = 'audience';

/** Counts by what is watched: the id of a poll for its screens, else `pagesOf`, `followersOf` or `screensOf`. */
export type Audience = ReadonlyMap<string, number>;

/** The voters' pages with live results of a poll. */
export function pagesOf(id: PollId): string {
  return `page:${id}`;
}

/** The voters' pages that follow a show. */
export function followersOf(show: string): string {
  return `show:${show}`;
}

/**
 * The screens that follow a show, by the poll that they watch for it: each is counted for that
 * poll, too.
 *
 * @param id null for none
 */
export function screensOf(show: string, id: PollId | null): string {
  return `screens:${show}:${id ?? ''}`;
}

export class AudienceReport {
  readonly #sources: (() => Audience)[] = [];
  readonly close: () => void;

  constructor(records: Records) {
    this.close = reportEvery(REPORT_MS, new ProcessRecords(records, AUDIENCE), () => {
      const counts = this.#sources.flatMap(read => [...read()]);
      const most = counts.sort(([, one], [, other]) => other - one).slice(0, MOST_COUNTS);
      return Object.fromEntries(most);
    });
  }

  /** @param read returns the counts of a server of this process; no two servers have a name in common */
  add(read: () => Audience): void {
    this.#sources.push(read);
  }
}

/** @param names of counts, see `Audience` */
export async function countAudience(records: Records, names: readonly string[]): Promise<number[]> {
  const audience = await readAudience(records);
  return names.map(name => audience.get(name) ?? 0);
}

/**
 * Counts each screen once that follows the show or watches the poll on air, and the voters' pages
 * that follow the show.
 */
export async function countShowAudience(
  records: Records,
  show: string,
  onAir: PollId | null,
): Promise<{ readonly screens: number; readonly phones: number }> {
  const audience = await readAudience(records);
  const isCounted = (name: string) => onAir !== null && name === screensOf(show, onAir);
  // Subscribers of the show that watch its poll are counted for the poll.
  const elsewhere = [...audience].filter(
    ([name]) => name.startsWith(screensOf(show, null)) && !isCounted(name),
  );
  const watching = onAir === null ? 0 : (audience.get(onAir) ?? 0);
  return {
    screens: elsewhere.reduce((sum, [, count]) => sum + count, watching),
    phones: audience.get(followersOf(show)) ?? 0,
  };
}

/** Adds up the records of all processes. */
async function readAudience(records: Records): Promise<Audience> {
  const sums = new Map<string, number>();
  for (const text of (await readProcessRecords(records, AUDIENCE)).values())
    for (const [name, count] of Object.entries<number>(JSON.parse(text)))
      sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

/** Screens and voters' pages of each poll, together. */
export async function countViewers(records: Records, ids: readonly PollId[]): Promise<number[]> {
  const counts = await countAudience(records, [...ids, ...ids.map(pagesOf)]);
  return ids.map((_, index) => counts[index]! + counts[ids.length + index]!);
}
