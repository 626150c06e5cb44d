import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LiveClient } from '../support/live-client.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { castBallots, startTestRelay, type TestRelay } from '../support/test-relay.ts';

const BALLOTS = 40;

/** Pub/sub delivers at most once, and a link that died in silence delivers nothing. Votes come by another way here. */
describe('hints that never arrive', () => {
  let redis: RedisServer;
  let proxy: TcpProxy;
  let relay: TestRelay;
  let voting: TestRelay;
  let live: LiveClient;
  let id: string;
  beforeEach(async () => {
    redis = await startRedisServer();
    proxy = await startTcpProxy(redis.port);
    relay = await startTestRelay({ redisUrl: `redis://127.0.0.1:${proxy.port}` });
    voting = await startTestRelay({ redisUrl: redis.url });
    ({ id } = await voting.create());
    live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
    await live.results(0);
  });
  afterEach(async () => {
    live.close();
    await Promise.all([relay.close(), voting.close()]);
    await proxy.close();
    await redis.stop();
  });

  test('are made up for within five seconds where their link has died in silence', async () => {
    proxy.setMode('blackhole', 'tallycast-hints');
    await castBallots(voting.engine, id, 0, BALLOTS);
    const stoppedAt = performance.now();
    await live.results(BALLOTS);
    expect((live.times.at(-1) as number) - stoppedAt).toBeLessThan(5_000);
    expect(live.closed).toBeUndefined();
  });

  test('leave nobody behind where every link is cut in the middle of it', async () => {
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
