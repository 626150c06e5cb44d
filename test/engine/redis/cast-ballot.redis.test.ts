import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import type { NewPoll } from '../../../src/poll/create-poll.ts';
import { allBallots, expectSound, openPoll, readResults } from '../../contract/engine/engine-subject.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { openEngineAt } from './redis-subject.ts';

/** The script by itself, as a front end in another language calls it: by its header alone. */

const FILE = new URL('../../../src/engine/redis/commands/cast-ballot-8.lua', import.meta.url);
const KEYS = ['tally', 'ballots', 'receipts', 'voters', 'addresses', 'proofs', 'definition', 'comments'];

let server: RedisServer;
let engine: RedisEngine;
let client: Redis;
let sha: string;

beforeAll(async () => {
  server = await startRedisServer();
  engine = await openEngineAt(server.url);
  client = new Redis(server.url);
  sha = (await client.script('LOAD', readFileSync(FILE, 'utf8'))) as string;
});
afterAll(async () => {
  client.disconnect();
  await engine.close();
  await server.stop();
});

interface RawBallot {
  readonly id: string;
  readonly voter: string;
  readonly name?: string;
  readonly proof?: readonly [id: string, expiry: string];
  readonly retention?: string;
  readonly answers: readonly string[];
}

function cast({ poll }: NewPoll, ballot: RawBallot): Promise<unknown> {
  const stem = `tallycast:{${poll.id}}:`;
  const { id, voter, name = '', proof = ['', ''], retention = '0', answers } = ballot;
  const args = [
    'PUBLISH',
    `${stem}hints`,
    '0',
    retention,
    id,
    voter,
    `${voter}-address`,
    name,
    ...proof,
    ...answers,
  ];
  return client.evalsha(sha, KEYS.length, ...KEYS.map(key => stem + key), ...args);
}

test('counts a ballot that comes by the script alone', async () => {
  const poll = await openPoll({ engine, other: engine }, { ma: true, enter_name: true });
  const ballot = { id: 'b"1', voter: 'v1', name: 'Zoë "Z"', answers: ['version', 'closed'] };
  expect(await cast(poll, ballot)).toEqual(['accepted', 2]);
  expect(await cast(poll, ballot)).toEqual(['repeated', 2]);
  expect(await cast(poll, { ...ballot, id: 'b2' })).toEqual(['duplicate_voter', 0]);
  expect(await readResults(engine, poll.poll.id)).toMatchObject({ votes: [1, 0, 1], totalVoters: 1 });
  expect(await allBallots(engine, poll.poll.id)).toMatchObject([{ ballotId: 'b"1', name: 'Zoë "Z"' }]);
});

test('writes nothing at all where the arguments are not as documented', async () => {
  const poll = await openPoll({ engine, other: engine });
  const keys = await client.keys(`*${poll.poll.id}*`);
  const ballot = { id: 'b', voter: 'v', answers: ['version'] };
  await expect(cast(poll, { ...ballot, proof: ['p', ''] })).rejects.toThrow('as documented');
  await expect(cast(poll, { ...ballot, proof: ['p', 'tomorrow'] })).rejects.toThrow('as documented');
  await expect(cast(poll, { ...ballot, retention: '' })).rejects.toThrow('as documented');
  await expect(
    client.evalsha(sha, 8, ...KEYS.map(key => `tallycast:{${poll.poll.id}}:${key}`)),
  ).rejects.toThrow();
  expect((await client.keys(`*${poll.poll.id}*`)).sort()).toEqual(keys.sort());
  expect(await cast(poll, ballot)).toEqual(['accepted', 2]);
  await expectSound(engine, poll.poll.id);
});
