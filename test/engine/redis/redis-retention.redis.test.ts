import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import type { NewPoll } from '../../../src/poll/create-poll.ts';
import { ballotFor, openPoll, type PollWishes } from '../../contract/engine/engine-subject.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { openEngineAt } from './redis-subject.ts';

const DAY_MS = 86_400_000;

let server: RedisServer;
let client: Redis;
let weekly: RedisEngine;
let forever: RedisEngine;

beforeAll(async () => {
  server = await startRedisServer();
  client = new Redis(server.url);
  weekly = await openEngineAt(server.url, { retentionDays: 7 });
  forever = await openEngineAt(server.url, { retentionDays: 0 });
});
afterAll(async () => {
  client.disconnect();
  await Promise.all([weekly.close(), forever.close()]);
  await server.stop();
});

/** Opens a poll that has every key there can be. */
async function openFullPoll(engine: RedisEngine, wishes: PollWishes = {}): Promise<NewPoll> {
  const poll = await openPoll({ engine, other: engine }, wishes);
  await engine.comments.add(poll.poll.id, { id: 'c', name: 'n', text: 't', writtenAtMs: 1 }, 10);
  await engine.castBallot(ballotFor(poll));
  await castWithProof(engine, poll);
  return poll;
}

async function castWithProof(engine: RedisEngine, poll: NewPoll): Promise<void> {
  const proof = { id: 'proof', expiresAtMs: (await engine.now()) + 60_000 };
  await engine.castBallot(ballotFor(poll, { proof }));
}

/** Whole days after which each key of a poll goes; -1 for never. */
async function daysLeft({ poll }: NewPoll): Promise<number[]> {
  const keys = await client.keys(`tallycast:{${poll.id}}:*`);
  expect(keys).toHaveLength(6);
  const left = await Promise.all(keys.map(key => client.pttl(key)));
  return [...new Set(left.map(ms => (ms < 0 ? ms : Math.round(ms / DAY_MS))))];
}

/** Ballots move the end of a poll's keys once an hour at most: the next one may again. */
async function passAnHour({ poll }: NewPoll): Promise<void> {
  await client.hset(`tallycast:{${poll.id}}:tally`, 'refresh', '0');
}

test('keeps a poll without a deadline for as long after its last ballot', async () => {
  const poll = await openFullPoll(weekly);
  expect(await daysLeft(poll)).toEqual([7]);
  const keys = await client.keys(`tallycast:{${poll.poll.id}}:*`);
  const soon = (await weekly.now()) + DAY_MS;
  await Promise.all(keys.map(key => client.pexpireat(key, soon)));
  await weekly.castBallot(ballotFor(poll));
  expect(await daysLeft(poll)).toEqual([1]);
  await passAnHour(poll);
  await weekly.castBallot(ballotFor(poll));
  expect(await daysLeft(poll)).toEqual([7]);
});

test('keeps a poll for as long after its deadline, wherever that moves', async () => {
  const poll = await openFullPoll(weekly, { deadlineInMs: 3 * DAY_MS });
  expect(await daysLeft(poll)).toEqual([10]);
  await weekly.changePoll(poll.poll.id, { deadlineMs: (await weekly.now()) + 20 * DAY_MS });
  expect(await daysLeft(poll)).toEqual([27]);
  await weekly.changePoll(poll.poll.id, { deadlineMs: null });
  expect(await daysLeft(poll)).toEqual([7]);
});

test('keeps a poll for as long after it was closed by hand', async () => {
  const poll = await openFullPoll(weekly, { deadlineInMs: 3 * DAY_MS });
  await weekly.changePoll(poll.poll.id, { closed: true });
  expect(await daysLeft(poll)).toEqual([7]);
  await weekly.changePoll(poll.poll.id, { closed: false });
  expect(await daysLeft(poll)).toEqual([10]);
});

test('keeps a poll for ever where retention is 0, from the next change on, or the next ballot after an hour', async () => {
  expect(await daysLeft(await openFullPoll(forever))).toEqual([-1]);
  const byBallot = await openFullPoll(weekly);
  await passAnHour(byBallot);
  await forever.castBallot(ballotFor(byBallot));
  expect(await daysLeft(byBallot)).toEqual([-1]);
  const byChange = await openFullPoll(weekly);
  await forever.changePoll(byChange.poll.id, { resultsVisibility: 'hidden' });
  expect(await daysLeft(byChange)).toEqual([-1]);
  await passAnHour(byChange);
  await weekly.castBallot(ballotFor(byChange));
  expect(await daysLeft(byChange)).toEqual([7]);
});

test('forgets proofs some time after they are worthless, and no other way lets one vote twice', async () => {
  const poll = await openPoll({ engine: weekly, other: weekly });
  const now = await weekly.now();
  const cast = (id: string, expiresAtMs: number) =>
    weekly.castBallot(ballotFor(poll, { proof: { id, expiresAtMs } }));
  await cast('long ago', now - DAY_MS);
  await cast('just now', now - 1_000);
  await cast('fresh', now + 60_000);
  expect(await client.zrange(`tallycast:{${poll.poll.id}}:proofs`, '0', '-1')).toEqual(['just now', 'fresh']);
  expect(await cast('just now', now - 1_000)).toMatchObject({ outcome: 'proof_used' });
});
