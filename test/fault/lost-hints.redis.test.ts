import { beforeEach, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { Polls } from '../../src/engine/polls.ts';
import { engineWith } from '../support/engine-with.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { castBallots, startTestRelay, type TestRelay } from '../support/test-relay.ts';

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
  const { start, clientOf, closeAfter } = redisRig();

  it('moves by hints as soon as Redis answers again, not by the sweep', async () => {
    const redis = await start();
    const inner = await openEngine({ redisUrl: redis.url });
    closeAfter(() => inner.close());
    let sweeps = 0;
    const findRevisions: Polls['findRevisions'] = ids => {
      sweeps += 1;
      return inner.polls.findRevisions(ids);
    };
    const relay = await startTestRelay({ engine: engineWith(inner, { polls: { findRevisions } }) });
    closeAfter(() => relay.close());
    const { id } = await relay.create();
    // Longer than a command may take, shorter than a connection may be silent.
    await clientOf(redis).call('CLIENT', 'PAUSE', 2_000, 'ALL');
    const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live?hz=20`);
    closeAfter(() => live.close());
    await live.results(0);
    const before = sweeps;
    for (let votes = 1; votes <= BALLOTS; votes += 1) {
      await castBallots(inner, id, 0, 1);
      await live.results(votes);
    }
    // One by one: without hints each of them would have waited for a sweep of its own.
    expect(sweeps - before).toBeLessThan(BALLOTS / 2);
  }, 120_000);
});
