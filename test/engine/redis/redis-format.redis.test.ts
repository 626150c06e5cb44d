import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { openMigration } from '../../../src/engine/open-engine.ts';
import { readArchived } from '../../contract/engine/archive-claims.ts';
import {
  allBallots,
  ballotFor,
  expectSound,
  outcomeOf,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import { openEngineAt, redisEngineRig } from './redis-subject.ts';

/** Data of a release with format 2, with bytes as characters: three polls, 43 ballots. */
interface StoredKey {
  readonly key: string;
  readonly type: string;
  readonly value: never;
  readonly goesAtMs: number;
}

const FIXTURE = new URL('../fixture/redis-format-2.json', import.meta.url);
const [VOTED, CLOSED, UPCOMING] = ['fixturePollA', 'fixturePollB', 'fixturePollC'] as const;

const { start, openAt, clientOf } = redisEngineRig();

async function startWithFixture() {
  const server = await start();
  const client = clientOf(server);
  for (const { key, type, value, goesAtMs } of JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredKey[]) {
    await put(client, key, type, value);
    if (goesAtMs > 0) await client.pexpireat(key, goesAtMs);
  }
  return { server, client };
}

async function put(client: Redis, key: string, type: string, value: never): Promise<void> {
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  if (type === 'hash') await client.hset(key, ...Object.entries<string>(value).flat().map(bytes));
  else if (type === 'list') await client.rpush(key, ...(value as string[]).map(bytes));
  else if (type === 'string') await client.set(key, bytes(value));
  else await client.zadd(key, ...[...(value as string[])].reverse());
}

it('rejects the previous format in one line with the command', async () => {
  const { server } = await startWithFixture();
  await expect(openEngineAt(server.url)).rejects.toThrow(/^.*format 2.*tallycast migrate <backup file>`$/);
});

it('converts every poll of format 2 in place completely, also after an earlier run was interrupted', async () => {
  const { server, client } = await startWithFixture();
  const migration = (await openMigration({ redisUrl: server.url }))!;
  // As an earlier run leaves it that ended before it removed the old poll.
  await client.hset(`tallycast:{${VOTED}}:poll-3`, 'version', '1');
  const ids: string[] = [];
  for await (const id of migration.archive.listPolls()) ids.push(id);
  expect(ids.sort()).toEqual([VOTED, CLOSED, UPCOMING]);
  const before = await readArchived(migration, VOTED);
  expect(await migration.convert()).toBe(3);
  await migration.close();
  expect(await client.keys('*:poll-2')).toEqual([]);
  expect(await openMigration({ redisUrl: server.url })).toBeUndefined();

  const engine = await openAt(server.url);
  const after = await readArchived(engine, VOTED);
  const ballots = (read: typeof before) => read.entries.filter(({ type }) => type === 'ballot');
  expect(after.poll).toEqual(before.poll);
  expect(ballots(after)).toEqual(ballots(before));
  expect(ballots(after)).toHaveLength(40);
  expect(await engine.comments.list(VOTED)).toMatchObject([{ id: 'c1', text: 'Two\nlines' }]);
  expect(await engine.records.find('show:main')).toContain(VOTED);
  expect(await engine.polls.listPublic(10)).toEqual(expect.arrayContaining([VOTED, UPCOMING]));
  expect(await readResults(engine, VOTED)).toMatchObject({
    version: 41,
    votes: [40, 0, 14],
    totalVoters: 40,
  });
  expect(await readResults(engine, CLOSED)).toMatchObject({ status: 'closed', votes: [3, 0, 0] });
  expect(await readResults(engine, UPCOMING)).toMatchObject({ status: 'upcoming' });
  expect((await allBallots(engine, VOTED))[7]).toMatchObject({
    ballotId: '00000000-0000-4000-8000-000000000007',
    name: 'Käthe 7',
  });

  const made = { poll: after.poll.poll } as Parameters<typeof ballotFor>[0];
  const cast = (wishes: object) => outcomeOf(engine, ballotFor(made, { name: 'Zoë', ...wishes }));
  expect(await cast({ ballotId: 'ballot 8' })).toBe('repeated');
  expect(await cast({ voter: 'voter 8' })).toBe('duplicate_voter');
  expect(await cast({ address: 'address 8' })).toBe('duplicate_address');
  expect(await cast({ proof: { id: 'proof 8', expiresAtMs: 1 } })).toBe('proof_used');
  expect(await cast({ proof: { id: randomUUID(), expiresAtMs: 1 } })).toBe('accepted');
  await expectSound(engine, VOTED);
});

it('converts nothing in an empty Redis, and rejects a newer format', async () => {
  const server = await start();
  expect(await openMigration({ redisUrl: server.url })).toBeUndefined();
  await clientOf(server).set('tallycast:format', '4');
  await expect(openMigration({ redisUrl: server.url })).rejects.toThrow('start the version that wrote it');
});
