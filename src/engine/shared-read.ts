import { areResultsPublic, type PollId, type Reading } from '../poll/poll.ts';
import { type Deferred, deferred } from './deferred.ts';

export type Read<Value = Reading> = (id: PollId) => Promise<Value | undefined>;

/** Reads in progress at the engine; others wait here. */
const MAX_RUNNING = 1_000;

/**
 * Calls for the same poll share one read that begins after all of them, so each result is as fresh
 * as a read of its own. A read begins at the end of the present turn of the event loop, or when the
 * read in progress has ended and the poll has rested.
 *
 * @param restMs milliseconds between two reads of one poll; the first read never waits
 */
export function coalesceReads<Value = Reading>(read: Read<Value>, restMs = 0): Read<Value> {
  let running = 0;
  /** Polls with a read in progress, or resting. */
  const busy = new Set<PollId>();
  const waiting = new Map<PollId, Deferred<Value | undefined>>();
  /** To begin at the end of this turn, and as soon as fewer than `MAX_RUNNING` are in progress; oldest first. */
  let gathered: PollId[] = [];
  const due = new Set<PollId>();

  return id => {
    const shared = waiting.get(id);
    if (shared) return shared.promise;
    const fresh = deferred<Value | undefined>();
    waiting.set(id, fresh);
    if (!busy.has(id) && gathered.push(id) === 1) setImmediate(endTurn);
    return fresh.promise;
  };

  function endTurn(): void {
    for (const id of gathered) due.add(id);
    gathered = [];
    beginDue();
  }

  function beginDue(): void {
    for (const id of due) {
      if (running >= MAX_RUNNING) return;
      due.delete(id);
      begin(id);
    }
  }

  function begin(id: PollId): void {
    const shared = waiting.get(id);
    if (!shared) return;
    waiting.delete(id);
    busy.add(id);
    running += 1;
    const end = () => {
      running -= 1;
      if (restMs === 0) return free(id);
      setTimeout(free, restMs, id);
      beginDue();
    };
    void read(id).then(shared.resolve, shared.reject).then(end);
  }

  function free(id: PollId): void {
    busy.delete(id);
    if (waiting.has(id)) due.add(id);
    beginDue();
  }
}

/** Caches each read for `keepMs`, unless its results are not public: keys and reveals take effect at once. */
export function cacheReads(read: Read, keepMs: number): Read {
  const kept = new Map<PollId, Promise<Reading | undefined>>();
  return id => {
    const known = kept.get(id);
    if (known) return known;
    const reading = read(id);
    kept.set(id, reading);
    const timer = setTimeout(forget, keepMs).unref();
    function forget(): void {
      clearTimeout(timer);
      if (kept.get(id) === reading) kept.delete(id);
    }
    reading.then(found => (found && areResultsPublic(found.results) ? undefined : forget()), forget);
    return reading;
  };
}
