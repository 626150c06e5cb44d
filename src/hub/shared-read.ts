import type { PollId, Reading } from '../poll/poll.ts';

type Read = (id: PollId) => Promise<Reading | undefined>;

interface SharedRead {
  readonly promise: Promise<Reading | undefined>;
  readonly resolve: (reading: Reading | undefined) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Reads of one poll share an engine read that was begun after all of them asked: as exact as a read each, and a stampede of
 * thousands costs a few. It begins at the end of this turn of the event loop; who asks while a read is under way waits for
 * the next one, which begins when that one ends.
 */
export function shareReads(read: Read): Read {
  const running = new Set<PollId>();
  const waiting = new Map<PollId, SharedRead>();
  /** What begins at the end of this turn. */
  let gathered: PollId[] = [];

  return id => {
    const shared = waiting.get(id);
    if (shared) return shared.promise;
    const fresh = sharedRead();
    waiting.set(id, fresh);
    if (!running.has(id) && gathered.push(id) === 1) setImmediate(beginAll);
    return fresh.promise;
  };

  function beginAll(): void {
    const ids = gathered;
    gathered = [];
    for (const id of ids) begin(id);
  }

  function begin(id: PollId): void {
    const shared = waiting.get(id);
    if (!shared) return;
    waiting.delete(id);
    running.add(id);
    const end = () => {
      running.delete(id);
      begin(id);
    };
    void read(id).then(shared.resolve, shared.reject).then(end);
  }
}

function sharedRead(): SharedRead {
  let resolve: SharedRead['resolve'] = () => {};
  let reject: SharedRead['reject'] = () => {};
  const promise = new Promise<Reading | undefined>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
