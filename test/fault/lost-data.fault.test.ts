// @module-tag redis-server
import { beforeEach, describe, expect, it } from 'vitest';
import type { ResultsMessage } from '../../src/protocol/messages.ts';
import { ask, faultOfError } from '../support/api-request.ts';
import { LiveClient } from '../support/live-client.ts';
import { pointShow } from '../support/point-show.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import type { CreatedPoll, TestRelay } from '../support/test-relay.ts';

/** Redis comes back with less than it had acknowledged: the worst that a failover or a torn log can do. */
describe('data that Redis lost', () => {
  const { start, proxyTo, relayOn, clientOf, closeAfter } = redisRig();
  let redis: RedisServer;
  let relays: TestRelay[];
  let poll: CreatedPoll;
  let clients: LiveClient[];
  beforeEach(async () => {
    redis = await start();
    relays = [await relayOn(redis.url), await relayOn(redis.url)];
    poll = await first().create();
    clients = await Promise.all(relays.map(relay => watch(relay)));
    closeAfter(() => {
      for (const client of clients) client.close();
    });
  });

  const first = () => relays[0] as TestRelay;
  const watch = (relay: TestRelay, query = '') =>
    LiveClient.open(`${relay.wsUrl}/api/poll/${poll.id}/live${query}`);
  const command = async (...words: [string, ...string[]]) => {
    const client = clientOf(redis);
    await client.call(...words);
    client.disconnect();
  };
  const see = (total: number) => Promise.all(clients.map(client => client.results(total)));
  /** Ten votes that are on disk, five more that are not, and a Redis that comes back with ten. */
  const loseFive = async () => {
    await first().cast(poll.id, 0, 10);
    await command('SAVE');
    await first().cast(poll.id, 0, 5);
    await see(15);
    await redis.restart();
  };

  it('a restart from an older dump reaches every subscriber of every relay with reset', async () => {
    await loseFive();
    for (const client of clients) {
      const reset = (await client.message(
        message => message.type === 'results' && message.reset === true,
        'reset',
      )) as ResultsMessage;
      expect(reset).toMatchObject({ total_votes: 10 });
      expectNoSilentStepBack(client);
      expect(client.closed).toBeUndefined();
    }
    const late = await Promise.all(relays.flatMap(relay => [watch(relay, '?since=16'), watch(relay)]));
    clients.push(...late);
    await Promise.all(late.map(client => client.results(10)));
    for (const client of late) expect(client.of('results')[0]).toMatchObject({ version: 11 });
    await first().cast(poll.id, 1, 2);
    await see(12);
    for (const client of clients) expectNoSilentStepBack(client);
  });

  it('more new ballots than lost ones hide nothing: screens that showed the lost ones get the stored results', async () => {
    const proxy = await proxyTo(redis);
    const late = await relayOn(proxy.url);
    relays.push(late);
    clients.push(await watch(late));
    await first().cast(poll.id, 0, 10);
    await command('SAVE');
    await first().cast(poll.id, 0, 10);
    await see(20);
    // The late one looks again only after fifteen new ballots, which raise the version beyond what it saw.
    proxy.refuse(true);
    proxy.cut();
    await Promise.all(relays.slice(0, 2).map(relay => relay.close()));
    await redis.restart();
    const fresh = await relayOn(redis.url);
    await fresh.cast(poll.id, 1, 15);
    expect(await fresh.read(poll.id)).toMatchObject({ version: 26, total_votes: 25 });
    proxy.refuse(false);
    const [, , client] = clients as [LiveClient, LiveClient, LiveClient];
    await client.results(25);
    expect(client.of('results').at(-1)).toMatchObject({ version: 26, total_votes: 25 });
    expectNoSilentStepBack(client);
  });

  it('FLUSHALL deletes nothing: polls and shows keep their place on screens, and go on with the backup', async () => {
    const { engine } = first();
    await first().cast(poll.id, 0, 3);
    await pointShow(engine, 'evening', poll.id);
    await see(3);
    const screen = await LiveClient.open(`${relays[1]!.wsUrl}/api/show/evening/live`);
    clients.push(screen);
    await screen.results(3);
    const store = clientOf(redis);
    const keys = await store.keys('*');
    const dumps = await Promise.all(keys.map(key => store.dumpBuffer(key)));
    await store.flushall();
    for (const client of clients) {
      await client.message(({ type }) => type === 'stale', 'stale');
      expect(client.of('error')).toEqual([]);
    }
    for (const relay of relays) {
      const reply = await ask(`${relay.url}/api/poll/${poll.id}`);
      expect([reply.status, faultOfError(reply, 'poll_not_found')]).toEqual([404, undefined]);
      expect(reply.json.error.deleted).toBeUndefined();
    }
    for (const [at, key] of keys.entries()) await store.restore(key, 0, dumps[at]!, 'REPLACE');
    store.disconnect();
    await first().cast(poll.id, 0, 2);
    await see(5);
    expect(screen.of('show')).toMatchObject([{ id: poll.id }]);
    // Only now, and to all of them.
    await engine.polls.remove(poll.id);
    for (const client of clients.slice(0, 2))
      expect(await client.end()).toEqual({ code: 4410, reason: 'poll deleted' });
    await screen.message(({ type }) => type === 'error', 'the error');
    expect(screen.last).toMatchObject({ code: 'poll_not_found', id: poll.id, deleted: true });
    expect((await ask(`${first().url}/api/poll/${poll.id}`)).json.error.deleted).toBe(true);
  });
});

/** A version goes back on one connection only where the message says so. */
function expectNoSilentStepBack(client: LiveClient): void {
  const results = client.of('results');
  for (const [index, message] of results.slice(1).entries()) {
    const before = results[index] as ResultsMessage;
    if (message.reset) continue;
    expect(message.version).toBeGreaterThanOrEqual(before.version);
  }
}
