import { setTimeout as pause } from 'node:timers/promises';
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

const LOCK_MS = 3_000;

/** @returns undefined if there is no poll of an older format @throws Error in one line if the data has a newer format */
export async function openRedisMigration(options: RedisEngineOptions): Promise<Migration | undefined> {
  const connections = await connectRedis(options);
  const store = new RedisStore(connections, redisKeys(options.prefix));
  const { keys } = store;
  let unlock = async (): Promise<void> => {};
  const close = async (): Promise<void> => {
    await unlock().catch(() => {});
    await connections.close();
  };
  try {
    const format = await store.send(client => client.get(keys.format));
    if (Number(format ?? 0) > Number(FORMAT)) throw otherFormat(format!);
    unlock = await lockMigration(store);

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
      await finish();
      await close();
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
          if (first && !(await newer.addPoll(first[0] as ArchivedPoll, withoutComments(items))))
            throw new Error(`Another process has written poll ${id}: stop every server`);
          await store.write(client => client.unlink(olderKey));
        }
        await finish();
        return polls.size;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Resolves to its release. A run that was killed holds it for `LOCK_MS`. @throws Error if another run does not end */
async function lockMigration(store: RedisStore): Promise<() => Promise<void>> {
  const { migrationLock } = store.keys;
  const take = () => store.write(client => client.set(migrationLock, '', 'PX', LOCK_MS, 'NX'));
  for (let waitedMs = 0; (await take()) === null; waitedMs += LOCK_MS / 10) {
    if (waitedMs > LOCK_MS) throw new Error('Another `tallycast migrate` converts this data');
    await pause(LOCK_MS / 10);
  }
  const renewing = setInterval(() => {
    store.write(client => client.pexpire(migrationLock, LOCK_MS)).catch(() => {});
  }, LOCK_MS / 5);
  return async () => {
    clearInterval(renewing);
    await store.write(client => client.unlink(migrationLock));
  };
}

/** Comments have the same form in every format, and stay where they are. */
async function* withoutComments(
  items: AsyncIterator<readonly (ArchivedPoll | ArchivedEntry)[]>,
): AsyncIterable<readonly ArchivedEntry[]> {
  for (let item = await items.next(); !item.done; item = await items.next())
    yield (item.value as ArchivedEntry[]).filter(({ type }) => type !== 'comment');
}
