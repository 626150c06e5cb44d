import type { PollId, Reading } from '../poll/poll.ts';

type Read = (id: PollId) => Promise<Reading | undefined>;

/**
 * Reads of one poll share an engine read that was begun after all of them asked: as exact as a read each, and a stampede of
 * thousands costs a few. Who asks while a read is under way waits for the next one, which begins when that one ends.
 */
export function shareReads(read: Read): Read {
  const running = new Map<PollId, Promise<unknown>>();
  const next = new Map<PollId, Promise<Reading | undefined>>();

  return id => {
    const shared = next.get(id);
    if (shared) return shared;
    const reading = turnOf(id).then(() => {
      next.delete(id);
      const run = read(id);
      const ended = run.then(ignore, ignore);
      running.set(id, ended);
      void ended.then(() => running.get(id) === ended && running.delete(id));
      return run;
    });
    next.set(id, reading);
    return reading;
  };

  /** At the end of this turn of the event loop, or of the read that is under way. */
  function turnOf(id: PollId): Promise<unknown> {
    return running.get(id) ?? new Promise<void>(setImmediate);
  }
}

function ignore(): void {}
