import { REJECTION_REASONS, type RejectedBallots, type RejectionReason } from '../poll/ballot.ts';
import { DAY_MS, type PollId } from '../poll/poll.ts';
import type { Records } from './engine.ts';

/**
 * How many ballots of a poll were rejected and why, over all processes: a record for each reason,
 * which creators read.
 */

const FLUSH_MS = 2_000;
/** After the last rejected ballot. */
const TTL_MS = 28 * DAY_MS;
/** Polls times reasons between two flushes; beyond it ballots are not counted. */
const MAX_COUNTS = 1_000;
/** So that one request to the engine reads 250 records. */
const POLLS_PER_READ = 50;

type CountName = `rejected:${string}`;

/**
 * Counts in memory and adds to the records at most every two seconds. Ballots never wait; a lost
 * engine loses those counts.
 */
export class RejectedBallotCounter {
  readonly #records: Pick<Records, 'spend'>;
  /** By record. */
  #counts = new Map<CountName, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(records: Pick<Records, 'spend'>) {
    this.#records = records;
  }

  add(id: PollId, reason: RejectionReason): void {
    const name = recordOf(id, reason);
    const count = this.#counts.get(name);
    if (count === undefined && this.#counts.size >= MAX_COUNTS) return;
    this.#counts.set(name, (count ?? 0) + 1);
    this.#timer ??= setTimeout(() => void this.#flush(), FLUSH_MS).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    void this.#flush();
  }

  async #flush(): Promise<void> {
    const counts = [...this.#counts];
    this.#counts = new Map();
    const add = ([name, count]: readonly [CountName, number]) =>
      this.#records.spend(name, count, Number.MAX_SAFE_INTEGER, TTL_MS).catch(() => false);
    await Promise.all(counts.map(add));
    this.#timer = undefined;
    if (this.#counts.size > 0) this.#timer = setTimeout(() => void this.#flush(), FLUSH_MS).unref();
  }
}

/** Reads the counts of polls, in order. */
export async function readRejectedBallots(
  records: Pick<Records, 'findMany'>,
  ids: readonly PollId[],
): Promise<RejectedBallots[]> {
  const rejected: RejectedBallots[] = [];
  for (let from = 0; from < ids.length; from += POLLS_PER_READ) {
    const some = ids.slice(from, from + POLLS_PER_READ);
    const names = some.flatMap(id => REJECTION_REASONS.map(reason => recordOf(id, reason)));
    const texts = await records.findMany(names);
    for (const index of some.keys()) {
      const counts = REJECTION_REASONS.map((reason, offset) => [
        reason,
        Number(texts[index * REJECTION_REASONS.length + offset] ?? 0),
      ]);
      rejected.push(Object.fromEntries(counts) as RejectedBallots);
    }
  }
  return rejected;
}

function recordOf(id: PollId, reason: RejectionReason): CountName {
  return `rejected:${id}:${reason}`;
}
