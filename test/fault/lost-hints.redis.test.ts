import { beforeEach, describe, expect, it } from 'vitest';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { castBallots, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const BALLOTS = 40;

/** Pub/sub delivers at most once, and a link that died in silence delivers nothing. Votes come by another way here. */
describe('hints that never arrive', () => {
  const { start, proxyTo, relayOn, closeAfter } = redisRig();
  let redis: RedisServer;
  let proxy: TcpProxy & { readonly url: string };
  let voting: TestRelay;
  let live: LiveClient;
  let id: string;
  beforeEach(async () => {
    redis = await start();
    proxy = await proxyTo(redis);
    const relay = await relayOn(proxy.url);
    voting = await relayOn(redis.url);
    ({ id } = await voting.create());
    live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
    closeAfter(() => live.close());
    await live.results(0);
  });

  it('are made up for within five seconds where their link has died in silence', async () => {
    proxy.setMode('blackhole', 'tallycast-hints');
    await castBallots(voting.engine, id, 0, BALLOTS);
    const sinceTheLast = new Stopwatch(redis.process.pid);
    await live.results(BALLOTS);
    expect(sinceTheLast.ms).toBeLessThan(5_000);
    expect(live.closed).toBeUndefined();
  });

  it('leave nobody behind where every link is cut in the middle of it', async () => {
    const casting = castBallots(voting.engine, id, 1, BALLOTS);
    proxy.cut();
    await casting;
    await live.results(BALLOTS);
    await castBallots(voting.engine, id, 1, 1);
    await live.results(BALLOTS + 1);
    const versions = live.of('results').map(({ version }) => version);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });
});

describe('a poll whose first subscriber comes while Redis stalls', () => {
  const { start, relayOn, clientOf, closeAfter } = redisRig();

  it('is followed by hints as soon as Redis answers again, not by the sweep alone', async () => {
    const redis = await start();
    const relay = await relayOn(redis.url);
    const { id } = await relay.create();
    const client = clientOf(redis);
    // Longer than a command may take, shorter than a connection may be silent.
    await client.call('CLIENT', 'PAUSE', 2_000, 'ALL');
    const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
    closeAfter(() => live.close());
    await live.results(0);
    await until(async () => (await client.pubsub('CHANNELS')).length === 1, 'the subscription');
    await castBallots(relay.engine, id, 0, BALLOTS);
    await live.results(BALLOTS);
    expect(live.of('results').some(({ reset }) => reset)).toBe(false);
  });
});
