import calculateSlot from 'cluster-key-slot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ballotFor,
  eventually,
  expectSound,
  expectUnavailable,
  openPoll,
  outcomeOf,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import { type RedisCluster, startRedisCluster } from '../../support/redis-cluster.ts';
import { startRedisSentinels } from '../../support/redis-sentinel.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { availabilityOf, countHints, openEngineAt, redisEngineRig } from './redis-subject.ts';

const { start, openAt, clientOf, closeAfter } = redisEngineRig();

describe('a server that is not what REDIS_URL says', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer({ args: ['--databases', '4'] });
  });
  afterAll(() => server.stop());

  it('is refused where it is part of a cluster, and told how to write that', async () => {
    const node = await start(['--cluster-enabled', 'yes']);
    await expect(openEngineAt(node.url)).rejects.toThrow(/part of a cluster: write redis\+cluster:\/\//);
  });

  it('is refused where it is a replica, which holds old results and takes no ballots', async () => {
    const replica = await start(['--replicaof', '127.0.0.1', `${server.port}`]);
    await expect(openEngineAt(replica.url)).rejects.toThrow(`is a replica of 127.0.0.1:${server.port}`);
  });

  it('is refused where it has no such database', async () => {
    await expect(openEngineAt(`${server.url}/4`)).rejects.toThrow('has no database 4');
    await (await openEngineAt(`${server.url}/3`)).close();
  });

  it('is refused where it is one server and no cluster, or no Sentinel', async () => {
    await expect(openEngineAt(`redis+cluster://127.0.0.1:${server.port}`)).rejects.toThrow(
      /it is no cluster: write redis:\/\//,
    );
    await expect(openEngineAt(`redis+sentinel://127.0.0.1:${server.port}/main`)).rejects.toThrow(
      /it is no Sentinel: write redis:\/\//,
    );
  });

  it('is refused where it answers without TLS', async () => {
    await expect(openEngineAt(`rediss://127.0.0.1:${server.port}`)).rejects.toThrow(
      /write redis:\/\/ for it/,
    );
  });
});

it('leaves a primary that became a replica, and comes back to it when it is one again', async () => {
  const primary = await start(['--repl-diskless-sync-delay', '0']);
  const heir = await start(['--replicaof', '127.0.0.1', `${primary.port}`]);
  const errors: string[] = [];
  const engine = await openAt(primary.url, { onError: ({ message }) => errors.push(message) });
  const availability = availabilityOf(engine);
  const poll = await openPoll({ engine, other: engine });
  await clientOf(heir).replicaof('NO', 'ONE');
  await clientOf(primary).replicaof('127.0.0.1', heir.port);

  await eventually(() => expect(availability).toEqual([false]));
  await expectUnavailable(engine.polls.find(poll.poll.id));
  await expectUnavailable(engine.castBallot(ballotFor(poll)));
  const left = errors.filter(message =>
    message.includes(`is primary no more, but 127.0.0.1:${heir.port} is`),
  );
  expect(left).toHaveLength(1);

  await clientOf(primary).replicaof('NO', 'ONE');
  await eventually(() => expect(availability).toEqual([false, true]));
  await eventually(async () => expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted'));
});

it('follows the Sentinels to the new primary, with every topic that is followed', async () => {
  const sentinels = await startRedisSentinels();
  closeAfter(() => sentinels.stop());
  const engine = await openAt(sentinels.url, { durability: 'replicated' });
  const poll = await openPoll({ engine, other: engine });
  const hints = await countHints(engine, poll.poll.id);
  await eventually(async () => expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted'));
  const old = await sentinels.primaryPort();
  const primary = sentinels.servers.find(({ port }) => port === old);
  await primary?.kill9();

  await eventually(async () =>
    expect(await readResults(engine, poll.poll.id)).toMatchObject({ totalVoters: 1 }),
  );
  // The engine may know it before this Sentinel does.
  await eventually(async () => expect(await sentinels.primaryPort()).not.toBe(old));
  // Commands may be back before hints are.
  const before = hints();
  await eventually(async () => {
    await engine.hints.publish(poll.poll.id);
    expect(hints()).toBeGreaterThan(before);
  });
}, 60_000);

describe('on a cluster', () => {
  let cluster: RedisCluster;

  beforeAll(async () => {
    cluster = await startRedisCluster({ primaries: 3, replicas: 3 });
  });
  afterAll(() => cluster.stop());

  it('hears of a poll whose slot has moved, and casts where it lies now', async () => {
    const engine = await openAt(cluster.url);
    const poll = await openPoll({ engine, other: engine });
    const { id } = poll.poll;
    const hints = await countHints(engine, id);
    const slot = calculateSlot(`{${id}}`);
    const owner = await cluster.ownerOf(slot);
    const other = cluster.primaries.find(node => node !== owner) ?? owner;
    await cluster.moveSlot(slot, other);
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
    await eventually(() => expect(hints()).toBeGreaterThan(0));
    const before = hints();
    await eventually(async () => {
      await engine.hints.publish(id);
      expect(hints()).toBeGreaterThan(before);
    });
    await expectSound(engine, id);
  });

  it('goes on where the owner of a slot is killed and its replica takes over', async () => {
    const engine = await openAt(cluster.url, { durability: 'replicated' });
    const poll = await openPoll({ engine, other: engine });
    const { id } = poll.poll;
    const hints = await countHints(engine, id);
    const ballots = Array.from({ length: 20 }, () => ballotFor(poll));
    // A busy replica may take its time: whoever is refused casts the same ballot again.
    for (const ballot of ballots)
      await eventually(async () => expect(await outcomeOf(engine, ballot)).toMatch(/^(accepted|repeated)$/));
    const owner = await cluster.ownerOf(calculateSlot(`{${id}}`));
    await owner.server.kill9();
    await eventually(async () => expect(await readResults(engine, id)).toMatchObject({ totalVoters: 20 }));
    const before = hints();
    await eventually(async () => {
      await engine.hints.publish(id);
      expect(hints()).toBeGreaterThan(before);
    });
    // The heir has no replica of its own.
    await expectUnavailable(engine.castBallot(ballotFor(poll)));
  }, 60_000);
});
