// @module-tag redis-server
import type { Redis } from 'ioredis';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import type { NewPoll } from '../../../src/poll/poll.ts';
import {
  ballotFor,
  countHints,
  eventually,
  expectUnavailable,
  newPoll,
  openPoll,
  type PollWishes,
} from '../../contract/engine/engine-subject.ts';
import { retentionClaims } from '../../contract/engine/retention-claims.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { openEngineAt, redisEngineRig } from './redis-subject.ts';

const DAY_MS = 86_400_000;

const { start, openAt, clientOf } = redisEngineRig('file');
let server: RedisServer;
let client: Redis;
let weekly: RedisEngine;
let forever: RedisEngine;

beforeAll(async () => {
  server = await start();
  client = clientOf(server);
  weekly = await openAt(server.url, { retentionDays: 7 });
  forever = await openAt(server.url, { retentionDays: 0 });
});
afterEach(() => void vi.restoreAllMocks());

/** Opens a poll that has every key there can be. */
async function openFullPoll(engine: RedisEngine, wishes: PollWishes = {}): Promise<NewPoll> {
  const poll = await openPoll({ engine, other: engine }, wishes);
  await engine.comments.add(poll.poll.id, { id: 'c', name: 'n', text: 't', writtenAtMs: 1 }, 10);
  await engine.castBallot(ballotFor(poll));
  return poll;
}

/** Whole days after which each key of a poll goes; -1 for never. */
async function daysLeft({ poll }: NewPoll): Promise<number[]> {
  const keys = await client.keys(`tallycast:{${poll.id}}:*`);
  expect(keys).toHaveLength(2);
  const left = await Promise.all(keys.map(key => client.pttl(key)));
  return [...new Set(left.map(ms => (ms < 0 ? ms : Math.round(ms / DAY_MS))))];
}

/** Ballots move the end of a poll once an hour at most: the next one may again. */
function passAnHour(): void {
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 3_600_000);
}

it('keeps a poll without a deadline for its retention after the last ballot', async () => {
  const poll = await openFullPoll(weekly);
  expect(await daysLeft(poll)).toEqual([7]);
  const keys = await client.keys(`tallycast:{${poll.poll.id}}:*`);
  const soon = (await weekly.polls.now()) + DAY_MS;
  await Promise.all(keys.map(key => client.pexpireat(key, soon)));
  await weekly.castBallot(ballotFor(poll));
  expect(await daysLeft(poll)).toEqual([1]);
  passAnHour();
  await weekly.castBallot(ballotFor(poll));
  await eventually(async () => expect(await daysLeft(poll)).toEqual([7]));
});

describe('the expiry of a poll in Redis', () => {
  retentionClaims({
    async withEngine(retentionDays, action) {
      const engine = await openEngineAt(server.url, { retentionDays });
      return action(engine).finally(() => engine.close());
    },
    tidy: engine => (engine as RedisEngine).polls.tidy(),
    async goesAtMs(id) {
      const goes = await client.call('PEXPIRETIME', `tallycast:{${id}}:poll-3`);
      return Number(goes) < 0 ? null : Number(goes);
    },
  });
});

it('removes an expired poll with its comments before Redis does, and no poll whose expiry was moved', async () => {
  const brief = await openAt(server.url, { retentionDays: 1e-9 });
  const [over, kept] = [await openFullPoll(brief), await openFullPoll(brief)];
  const hints = await countHints(brief, over.poll.id);
  // Its own day decides, whatever the list says.
  await client.persist(`tallycast:{${kept.poll.id}}:poll-3`);
  const empty = { ageMs: DAY_MS, emptyRetentionMs: 1, deadlineInMs: DAY_MS };
  const upToDeadline = await openPoll({ engine: weekly, other: weekly }, empty);
  await client.zadd('tallycast:retention', 1, upToDeadline.poll.id);
  await brief.polls.tidy();
  expect(await weekly.polls.find(upToDeadline.poll.id)).toBeDefined();
  expect(await client.keys(`tallycast:{${over.poll.id}}:*`)).toEqual([`tallycast:{${over.poll.id}}:deleted`]);
  expect(await brief.polls.find(over.poll.id)).toBeUndefined();
  expect(await weekly.polls.find(kept.poll.id)).toBeDefined();
  const listed = await client.zrevrange('tallycast:retention', 0, -1);
  for (const { poll } of [over, kept]) expect(listed).not.toContain(poll.id);
  await eventually(() => expect(hints.count).toBeGreaterThan(0));
  expect(await client.info('stats')).toMatch(/^expired_keys:0\r?$/m);
});

it('removes the other expired polls if some fail, and reports the failure once', async () => {
  const faults: string[] = [];
  const brief = await openAt(server.url, {
    retentionDays: 1e-9,
    onError: ({ message }) => faults.push(message),
  });
  const over = await openFullPoll(brief);
  // More than one sweep takes, and all of them before it.
  for (let index = 0; index < 150; index += 1)
    await client.zadd('tallycast:retention', index + 1, `Unreached${String(index).padStart(3, '0')}`);
  const reached = ['retention', 'public-polls', `{${over.poll.id}}*`].map(name => `~tallycast:${name}`);
  await client.call('ACL', 'SETUSER', 'default', 'resetkeys', ...reached);
  for (let times = 0; times < 2; times += 1) await brief.polls.tidy();
  await client.call('ACL', 'SETUSER', 'default', 'allkeys');
  expect(faults).toEqual(Array(2).fill(expect.stringContaining('cannot be removed')));
  expect(await client.keys(`tallycast:{${over.poll.id}}:*`)).toEqual([`tallycast:{${over.poll.id}}:deleted`]);
  // From the start again, now that they can be reached.
  for (let times = 0; times < 2; times += 1) await brief.polls.tidy();
  expect(await client.zcount('tallycast:retention', 0, 150)).toBe(0);
});

it('keeps a poll without a retention of its own by the setting of the process that casts', async () => {
  const poll = await openFullPoll(weekly);
  await client.hdel(`tallycast:{${poll.poll.id}}:poll-3`, 'retention');
  passAnHour();
  await forever.castBallot(ballotFor(poll));
  await eventually(async () => expect(await daysLeft(poll)).toEqual([-1]));
});

it('accepts a ballot even if the expiry cannot be moved', async () => {
  const poll = await openPoll({ engine: weekly, other: weekly });
  passAnHour();
  await client.call('ACL', 'SETUSER', 'default', '-pexpireat');
  expect(await weekly.castBallot(ballotFor(poll))).toMatchObject({ outcome: 'accepted' });
  await expectUnavailable(weekly.polls.change(poll.poll.id, { closed: true }));
  await client.call('ACL', 'SETUSER', 'default', '+pexpireat');
  expect(await weekly.polls.change(poll.poll.id, { closed: true })).toBe(true);
});

it('finishes creating a poll at the second try after the first died half way', async () => {
  const poll = newPoll({}, await weekly.polls.now());
  await client.call('ACL', 'SETUSER', 'default', '-pexpireat', '-zadd');
  await expectUnavailable(weekly.polls.create(poll));
  await client.call('ACL', 'SETUSER', 'default', '+pexpireat', '+zadd');
  expect(await weekly.polls.create(poll)).toBe(false);
  expect(await client.pttl(`tallycast:{${poll.poll.id}}:poll-3`)).toBeGreaterThan(0);
  expect(await weekly.polls.listPublic(1)).toEqual([poll.poll.id]);
});
