// @module-tag redis-server
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ballotFor,
  eventually,
  expectUnavailable,
  openPoll,
  outcomeOf,
} from '../../contract/engine/engine-subject.ts';
import { findFreePort } from '../../support/free-port.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { availabilityOf, openEngineAt, redisEngineRig } from './redis-subject.ts';

const { start, openAt, clientOf } = redisEngineRig();

describe('a server that is not what REDIS_URL says', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer({ args: ['--databases', '4'] });
  });
  afterAll(() => server.stop());

  it('is rejected with advice if it is part of a cluster', async () => {
    const node = await start(['--cluster-enabled', 'yes', '--cluster-port', `${await findFreePort()}`]);
    await expect(openEngineAt(node.url)).rejects.toThrow(/part of a cluster: write redis\+cluster:\/\//);
  });

  it('is rejected if it is a replica', async () => {
    const replica = await start(['--replicaof', '127.0.0.1', `${server.port}`]);
    await expect(openEngineAt(replica.url)).rejects.toThrow(`is a replica of 127.0.0.1:${server.port}`);
  });

  it('is rejected if it has no such database', async () => {
    await expect(openEngineAt(`${server.url}/4`)).rejects.toThrow('has no database 4');
    await (await openEngineAt(`${server.url}/3`)).close();
  });

  it('is rejected if it is not a cluster or not a Sentinel', async () => {
    await expect(openEngineAt(`redis+cluster://127.0.0.1:${server.port}`)).rejects.toThrow(
      /it is no cluster: write redis:\/\//,
    );
    await expect(openEngineAt(`redis+sentinel://127.0.0.1:${server.port}/main`)).rejects.toThrow(
      /it is no Sentinel: write redis:\/\//,
    );
  });

  it('is rejected if it answers without TLS', async () => {
    await expect(openEngineAt(`rediss://127.0.0.1:${server.port}`)).rejects.toThrow(
      /write redis:\/\/ for it/,
    );
  });
});

it('disconnects from a demoted primary, and returns when it is primary again', async () => {
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
    message.includes(`is no longer primary, but 127.0.0.1:${heir.port} is`),
  );
  expect(left).toHaveLength(1);

  await clientOf(primary).replicaof('NO', 'ONE');
  await eventually(() => expect(availability).toEqual([false, true]));
  await eventually(async () => expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted'));
});
