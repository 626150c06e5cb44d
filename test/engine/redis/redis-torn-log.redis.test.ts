// @module-tag redis-server
import { readdir, readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import {
  ballotFor,
  eventually,
  expectSound,
  openPoll,
  outcomeOf,
} from '../../contract/engine/engine-subject.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { redisEngineRig } from './redis-subject.ts';

/**
 * A lost machine may leave half of a write in Redis' log. Redis drops the half command at its end,
 * but keeps what stood before it since MULTI, and brings that back at the second start from then
 * (valkey-io/valkey#4342): so there must be no MULTI in what Tallycast writes.
 */

const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always', '--repl-diskless-sync-delay', '0'];
const HOUR_MS = 3_600_000;

const { start, openAt, clientOf } = redisEngineRig();

async function logOf({ dir }: RedisServer): Promise<string> {
  const folder = join(dir, 'appendonlydir');
  const names = await readdir(folder);
  return join(folder, names.find(name => name.endsWith('.incr.aof')) ?? '');
}

function castMany(engine: RedisEngine, poll: Awaited<ReturnType<typeof openPoll>>) {
  const ballots = Array.from({ length: 30 }, () => ballotFor(poll));
  return { ballots, outcomes: Promise.all(ballots.map(ballot => outcomeOf(engine, ballot))) };
}

describe('a log that is torn in the middle of ballots', () => {
  it.each([0.02, 0.5, 0.98, 1])('loses and duplicates none, without %f of their bytes', async share => {
    const server = await start(DURABLE);
    const engine = await openAt(server.url);
    const poll = await openPoll({ engine, other: engine });
    const restart = async () => {
      await server.restart();
      await eventually(async () => void (await engine.polls.now()));
    };

    const log = await logOf(server);
    const { size: before } = await stat(log);
    const torn = castMany(engine, poll);
    await torn.outcomes;
    await server.kill9();
    const { size: after } = await stat(log);
    // At least a byte of theirs is gone, and something of them is left.
    await truncate(
      log,
      Math.max(before + 1, Math.min(after - 1, after - Math.floor((after - before) * share))),
    );
    await restart();
    const later = castMany(engine, poll);
    expect(new Set(await later.outcomes)).toEqual(new Set(['accepted']));
    await restart();
    await expectSound(engine, poll.poll.id);
    for (const ballot of torn.ballots.slice(0, 10)) expect(await outcomeOf(engine, ballot)).toBe('accepted');
    for (const ballot of later.ballots) expect(await outcomeOf(engine, ballot)).toBe('repeated');
    await restart();
    await expectSound(engine, poll.poll.id);
  });
});

it('writes each step as one command, with subscribers and a replica', async () => {
  const server = await start(DURABLE);
  // With a replica Redis puts more between MULTI and EXEC than without.
  await start(['--replicaof', '127.0.0.1', `${server.port}`]);
  const client = clientOf(server);
  await eventually(async () => expect(await client.info('replication')).toContain('state=online'));
  const engine = await openAt(server.url);
  const { id } = (await openPoll({ engine, other: engine }, { deadlineInMs: HOUR_MS, requireName: true }))
    .poll;
  const brief = await openPoll({ engine, other: engine }, { deadlineInMs: 100, answers: 5 });
  const poll = await openPoll({ engine, other: engine }, { allowMultiple: true });
  await Promise.all(
    [id, brief.poll.id, poll.poll.id].map(topic => engine.hints.follow(topic, () => {}).ready),
  );

  const proof = { id: 'proof', expiresAtMs: Date.now() + HOUR_MS };
  const answers = poll.poll.answers.map(answer => answer.id);
  await Promise.all([0, 1, 2].map(() => engine.castBallot(ballotFor(poll, { answers }))));
  await engine.castBallot(ballotFor(poll, { proof }));
  await eventually(async () =>
    expect((await engine.polls.find(brief.poll.id))?.results.status).toBe('closed'),
  );
  await engine.polls.change(id, {
    closed: true,
    deadlineMs: null,
    resultsVisibility: 'hidden',
    viewKeyHash: 'c',
  });
  for (const text of ['one', 'two', 'three'])
    await engine.comments.add(id, { id: text, name: 'n', text, writtenAtMs: 1 }, 2);
  await engine.comments.remove(id, 'two');
  await engine.records.put('limits:record', 'text', HOUR_MS);
  await engine.records.putIfAbsent('limits:record', 'text', HOUR_MS);
  await engine.polls.remove(id);

  const log = await readFile(await logOf(server), 'utf8');
  for (const step of ['HSET', 'PEXPIREAT', 'LPUSH', 'ltrim', 'UNLINK']) expect(log).toContain(step);
  expect(log).not.toMatch(/multi/i);
});

it('has exactly the last step of a reveal that it acknowledged before it was killed', async () => {
  const server = await start(DURABLE);
  const engine = await openAt(server.url);
  const { id } = (await openPoll({ engine, other: engine }, { answers: 5, resultsVisibility: 'hidden' }))
    .poll;
  for (const change of [{ closed: true, revealedFrom: 5 }, { revealedFrom: 3 }, { revealedFrom: 2 }]) {
    expect(await engine.polls.change(id, change)).toBe(true);
    await server.kill9();
    await server.restart();
    await eventually(async () => {
      const { revealedFrom } = change;
      expect((await engine.polls.find(id))?.results).toMatchObject({ status: 'closed', revealedFrom });
    });
  }
});
