import { areResultsPublic, type PollId, type Reading } from '../poll/poll.ts';

export type Read<Value = Reading> = (id: PollId) => Promise<Value | undefined>;

interface SharedRead<Value> {
  readonly promise: Promise<Value | undefined>;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (cause: unknown) => void;
}

/** However many polls are asked for, the engine has so many of these reads to answer at once, and the others wait here. */
const MAX_RUNNING = 1_000;

/**
 * Reads of one poll share an engine read that was begun after all of them asked: as exact as a read each, and a stampede of
 * thousands costs a few. It begins at the end of this turn of the event loop; who asks while a read is under way waits for
 * the next one, which begins when that one ends, and not before the poll has rested.
 *
 * @param restMs milliseconds between two reads of one poll: who asks first never waits, and a stampede costs one read a rest
 */
export function coalesceReads<Value = Reading>(read: Read<Value>, restMs = 0): Read<Value> {
  let running = 0;
  /** Polls that are being read, or rest. */
  const busy = new Set<PollId>();
  const waiting = new Map<PollId, SharedRead<Value>>();
  /** What may begin at the end of this turn, and what may begin as soon as there is room, oldest first. */
  let gathered: PollId[] = [];
  const due = new Set<PollId>();

  return id => {
    const shared = waiting.get(id);
    if (shared) return shared.promise;
    const fresh = sharedRead<Value>();
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

/**
 * Reads that may be as old as `keepMs`: of each poll one in that time, shared by all who ask meanwhile. Results that are not
 * public are kept for nobody, so that a key and a reveal are judged at the moment of asking.
 */
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

function sharedRead<Value>(): SharedRead<Value> {
  let resolve: SharedRead<Value>['resolve'] = () => {};
  let reject: SharedRead<Value>['reject'] = () => {};
  const promise = new Promise<Value | undefined>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
