import { LRUCache } from 'lru-cache';
import { IMAGE_FILE, idOfRound, isStoredId, type PollId, pollOfRound } from '../poll/poll.ts';
import type { Engine } from './engine.ts';

/** Eight polls with 20 images of 200 KB each. */
const MAX_BYTES = 32 * 1024 * 1024;
/** A deleted image is served for this long. */
const KEPT_MS = 10_000;

/** Reads images of polls, by the name of their round, for crowds: requests at the same time share a read. */
export function imageReads({
  polls,
}: Pick<Engine, 'polls'>): (id: PollId, file: string) => Promise<Buffer | undefined> {
  const images = new LRUCache<string, Buffer, { readonly id: PollId; readonly file: string }>({
    maxSize: MAX_BYTES,
    sizeCalculation: bytes => bytes.length,
    ttl: KEPT_MS,
    // Others may push it out of the cache while it is read.
    ignoreFetchAbort: true,
    fetchMethod: async (_, __, { context: { id, file } }) => {
      const round = pollOfRound(id);
      // A round is stored under its own name only once it has ended.
      const elsewhere = round ? round.id : idOfRound(id, 1);
      const data = (await polls.findImage(id, file)) ?? (await polls.findImage(elsewhere, file));
      return data === undefined ? undefined : Buffer.from(data, 'base64');
    },
  });
  return async (id, file) => {
    if (!isStoredId(id) || !IMAGE_FILE.test(file)) return undefined;
    return images.fetch(`${id} ${file}`, { context: { id, file } });
  };
}
