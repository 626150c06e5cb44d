// @module-tag redis-server
import { expect, it } from 'vitest';
import {
  ballotFor,
  eventually,
  expectSound,
  openPoll,
  outcomeOf,
} from '../../contract/engine/engine-subject.ts';
import { findFreePort } from '../../support/free-port.ts';
import { startRedisSentinels, startSentinel } from '../../support/redis-sentinel.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { Stopwatch } from '../../support/stopwatch.ts';
import { availabilityOf, redisEngineRig } from './redis-subject.ts';

const { start, proxyTo, openAt, clientOf, closeAfter } = redisEngineRig();
/** Several intervals of the watch. */
const ASKED_OFTEN_MS = 3_500;

it('stays with the new primary if an isolated Sentinel names the old one', async () => {
  // Only the Sentinel that will be isolated reaches the first primary without the proxy.
  const old = await start(['--repl-diskless-sync-delay', '0']);
  const link = await proxyTo(old);
  const heir = await start(['--replicaof', `127.0.0.1 ${link.port}`, '--repl-diskless-sync-delay', '0']);
  await eventually(async () =>
    expect(await clientOf(heir).info('replication')).toContain('master_link_status:up'),
  );
  const majority = await Promise.all([1, 2, 3].map(() => startSentinel(link.port)));
  for (const { server } of majority) closeAfter(() => server.stop());
  const lonelyPort = await findFreePort();
  const [first, ...others] = majority.map(({ port }) => port);
  const hosts = [first, lonelyPort, ...others].map(port => `127.0.0.1:${port}`);
  const engine = await openAt(`redis+sentinel://${hosts.join(',')}/main`);
  const availability = availabilityOf(engine);
  const poll = await openPoll({ engine, other: engine });
  const accepted = async () => expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
  await eventually(async () => expect(await othersKnownTo(majority[0]!.server)).toBe(2));
  await accepted();

  // The old primary runs on with one Sentinel, which sees nothing of the other side.
  link.setMode('blackhole');
  await eventually(async () => expect(await namedBy(majority[0]!.server)).toBe(`${heir.port}`));
  await clientOf(old).call('CLIENT', 'KILL', 'TYPE', 'replica');
  const lonely = await startSentinel(old.port, { port: lonelyPort });
  closeAfter(() => lonely.server.stop());
  await eventually(accepted);
  await eventually(() => expect(availability).toEqual([false, true]));

  // The next Sentinel in the URL is the isolated one.
  await majority[0]!.server.kill9();
  const since = new Stopwatch();
  while (since.ms < ASKED_OFTEN_MS) await accepted();
  expect(await namedBy(lonely.server)).toBe(`${old.port}`);
  expect(availability).toEqual([false, true]);

  // A new connection also asks the isolated Sentinel.
  await clientOf(heir).call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await eventually(() => expect(availability).toEqual([false, true, false, true]));
  const { total } = await keysAt(old);
  await expectSound(engine, poll.poll.id);
  await accepted();
  expect((await keysAt(old)).total).toBe(total);
}, 60_000);

it('follows a Sentinel that is not in REDIS_URL after the one in it is gone', async () => {
  const sentinels = await startRedisSentinels();
  closeAfter(() => sentinels.stop());
  const [first, second] = sentinels.sentinels as [RedisServer, RedisServer, RedisServer];
  const engine = await openAt(`redis+sentinel://127.0.0.1:${first.port}/main`);
  const poll = await openPoll({ engine, other: engine });
  const old = await sentinels.primaryPort();
  await eventually(async () =>
    expect(await clientOf(second).call('CLIENT', 'LIST')).toMatch(/cmd=sentinel\|/),
  );
  await first.kill9();
  await sentinels.servers.find(({ port }) => port === old)?.kill9();
  await eventually(async () => expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted'));
  // It hears of a failover that the third Sentinel led a moment after the engine did.
  await eventually(async () => expect(await namedBy(second)).not.toBe(`${old}`));
}, 60_000);

it('follows Sentinels that were set up again, with lower epochs', async () => {
  const sentinels = await startRedisSentinels();
  closeAfter(() => sentinels.stop());
  const engine = await openAt(sentinels.url);
  const availability = availabilityOf(engine);
  const poll = await openPoll({ engine, other: engine });
  const first = await sentinels.primaryPort();
  await sentinels.failover();
  await eventually(async () => expect(await sentinels.primaryPort()).not.toBe(first));
  await eventually(() => expect(availability).toEqual([false, true]));

  const other = await start();
  for (const sentinel of sentinels.sentinels) {
    const client = clientOf(sentinel);
    await client.call('SENTINEL', 'REMOVE', 'main');
    await client.call('SENTINEL', 'MONITOR', 'main', '127.0.0.1', `${other.port}`, '2');
  }
  await eventually(() => expect(availability).toEqual([false, true, false, true]));
  // It holds no polls.
  expect(await engine.polls.find(poll.poll.id)).toBeUndefined();
}, 60_000);

it('is rejected if the Sentinels know no primary of that name', async () => {
  const server = await start();
  const { port, server: sentinel } = await startSentinel(server.port);
  closeAfter(() => sentinel.stop());
  await expect(openAt(`redis+sentinel://127.0.0.1:${port}/other`)).rejects.toThrow(
    /they know no primary of this name/,
  );
});

async function namedBy(sentinel: RedisServer): Promise<string> {
  const client = clientOf(sentinel);
  const address = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as [string, string];
  client.disconnect();
  return address[1];
}

async function othersKnownTo(sentinel: RedisServer): Promise<number> {
  const client = clientOf(sentinel);
  const others = (await client.call('SENTINEL', 'SENTINELS', 'main')) as unknown[];
  client.disconnect();
  return others.length;
}

/** Scripts that a server has run so far. */
async function keysAt(server: RedisServer): Promise<{ total: number }> {
  const client = clientOf(server);
  const stats = await client.info('commandstats');
  client.disconnect();
  return { total: Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0) };
}
