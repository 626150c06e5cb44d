import type { ArchivedEntry, ArchivedPoll, ArchivedRecord } from '../engine/archive.ts';
import { ArchiveFault, type ArchiveItem } from './archive-line.ts';

const BATCH = 500;

export interface ArchiveVisitor {
  readonly onRecord: (record: ArchivedRecord) => Promise<void>;
  /** What of the entries it does not take is passed over. */
  readonly onPoll: (poll: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>) => Promise<void>;
}

/** Goes through an archive, poll by poll, holding little of it at a time. @throws ArchiveFault where something has no poll */
export async function visitArchive(
  items: AsyncIterable<readonly ArchiveItem[]>,
  { onRecord, onPoll }: ArchiveVisitor,
): Promise<void> {
  const reader = new ItemReader(items);
  for (let item = await reader.next(); item; item = await reader.next()) {
    if (item.type === 'record') await onRecord(item);
    else if (item.type === 'poll') {
      const entries = entriesIn(reader);
      await onPoll(item, entries);
      for await (const _ of entries);
    } else throw new ArchiveFault(`There is a line of type ${item.type} without a poll before it`);
  }
}

async function* entriesIn(reader: ItemReader): AsyncIterable<readonly ArchivedEntry[]> {
  let batch: ArchivedEntry[] = [];
  for (let item = await reader.peek(); item; item = await reader.peek()) {
    if (item.type === 'record' || item.type === 'poll') break;
    reader.take();
    if (batch.push(item) < BATCH && !('digests' in item)) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** One after the other, with a look at the next. */
class ItemReader {
  readonly #batches: AsyncIterator<readonly ArchiveItem[]>;
  #batch: readonly ArchiveItem[] = [];
  #at = 0;

  constructor(items: AsyncIterable<readonly ArchiveItem[]>) {
    this.#batches = items[Symbol.asyncIterator]();
  }

  async peek(): Promise<ArchiveItem | undefined> {
    while (this.#at >= this.#batch.length) {
      const { done, value } = await this.#batches.next();
      if (done) return undefined;
      this.#batch = value;
      this.#at = 0;
    }
    return this.#batch[this.#at];
  }

  take(): void {
    this.#at += 1;
  }

  async next(): Promise<ArchiveItem | undefined> {
    const item = await this.peek();
    if (item) this.take();
    return item;
  }
}
