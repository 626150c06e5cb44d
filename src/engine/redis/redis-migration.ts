import type { PollId } from '../../poll/poll.ts';
import type { ArchivedEntry, ArchivedPoll, Migration } from '../engine.ts';
import { Format1Archive } from './format-1.ts';
import { Format2Archive } from './format-2.ts';
import { RedisArchive } from './redis-archive.ts';
import { connectRedis, otherFormat, type RedisEngineOptions } from './redis-engine.ts';
import { FORMAT, OLDER_FORMATS, RedisStore, redisKeys } from './redis-store.ts';

/** How to read each older format. */
const READERS: Readonly<Record<(typeof OLDER_FORMATS)[number], typeof RedisArchive>> = {
  1: Format1Archive,
  2: Format2Archive,
};

/** @returns undefined if there is no poll of an older format @throws Error in one line if the data has a newer format */
export async function openRedisMigration(options: RedisEngineOptions): Promise<Migration | undefined> {
  const connections = await connectRedis(options);
  try {
    const store = new RedisStore(connections, redisKeys(options.prefix));
    const { keys } = store;
    const format = await store.send(client => client.get(keys.format));
    if (Number(format ?? 0) > Number(FORMAT)) throw otherFormat(format!);

    const polls = new Map<PollId, { readonly reader: RedisArchive; readonly olderKey: string }>();
    for (const older of OLDER_FORMATS) {
      const olderStore = new RedisStore(connections, redisKeys(options.prefix, older));
      const reader = new READERS[older](olderStore, true);
      for await (const id of reader.listPolls())
        polls.set(id, { reader, olderKey: olderStore.keys.ofPoll(id).poll });
    }
    const finish = () =>
      store.write(async client => {
        await client.set(keys.format, FORMAT);
        await client.unlink(keys.migration);
      });
    if (polls.size === 0) {
      // An earlier run may have ended just before this.
      if (format !== null) await finish();
      await connections.close();
      return undefined;
    }
    const newer = new RedisArchive(store, true);
    return {
      archive: {
        readRecords: isWanted => newer.readRecords(isWanted),
        listPolls: async function* () {
          yield* polls.keys();
        },
        readPoll: id => polls.get(id)!.reader.readPoll(id),
      },
      backup: (await store.send(client => client.get(keys.migration))) ?? undefined,
      async convert(backup) {
        await store.write(client => client.set(keys.migration, backup));
        for (const [id, { reader, olderKey }] of polls) {
          // If both exist, an earlier run ended between the two steps.
          await store.write(client => client.unlink(keys.ofPoll(id).poll));
          const items = reader.readPoll(id)[Symbol.asyncIterator]();
          const { value: first } = await items.next();
          if (first) await newer.addPoll(first[0] as ArchivedPoll, withoutComments(items));
          await store.write(client => client.unlink(olderKey));
        }
        await finish();
        return polls.size;
      },
      close: () => connections.close(),
    };
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** Comments have the same form in every format, and stay where they are. */
async function* withoutComments(
  items: AsyncIterator<readonly (ArchivedPoll | ArchivedEntry)[]>,
): AsyncIterable<readonly ArchivedEntry[]> {
  for (let item = await items.next(); !item.done; item = await items.next())
    yield (item.value as ArchivedEntry[]).filter(({ type }) => type !== 'comment');
}
