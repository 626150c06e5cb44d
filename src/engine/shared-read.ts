import type { PollId, Reading } from '../poll/poll.ts';

type Read = (id: PollId) => Promise<Reading | undefined>;

/**
 * Reads of one poll that are asked for in the same turn of the event loop share one engine read, begun after all of them
 * asked: as exact as a read each, and a stampede of thousands costs one.
 */
export function shareReads(read: Read): Read {
  const waiting = new Map<PollId, Promise<Reading | undefined>>();

  return id => {
    const shared = waiting.get(id);
    if (shared) return shared;
    const reading = new Promise<void>(setImmediate).then(() => {
      waiting.delete(id);
      return read(id);
    });
    waiting.set(id, reading);
    return reading;
  };
}
