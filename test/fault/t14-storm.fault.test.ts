// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { CROWD, READ_INTERVAL_MS } from '../../src/live/subscription.ts';
import { startProgram } from '../start/program.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { castBallots, createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { measured, size } from './plan.ts';
import { ThriftyClient } from './thrifty-client.ts';

const CLIENTS = size(2_000, 9_500);
const CURRENT_MS = 5_000;
const BALLOTS = 50;

const { start, clientOf, closeAfter } = redisRig();

describe('T14 a storm of clients that come back', () => {
  it('T14: all that were reset at once are current in five seconds, for few reads of the engine', async () => {
    const redis = await start();
    const relay = await startProgram({
      ROLE: 'relay',
      REDIS_URL: redis.url,
      MAX_CONNECTIONS_PER_ADDRESS: '100000',
    });
    await relay.running();
    const engine = await openEngine({ redisUrl: redis.url });
    closeAfter(() => engine.close());
    const { id } = await createPoll(relay.url);
    let clients: ThriftyClient[] = [];
    const open = () => {
      clients = Array.from({ length: CLIENTS }, () => new ThriftyClient(relay.url, `/api/poll/${id}/live`));
    };
    closeAfter(() => {
      for (const client of clients) client.reset();
    });
    open();
    await until(() => clients.every(({ total }) => total === 0), 'all to be there', 60_000);
    await castBallots(engine, id, 0, BALLOTS);
    await until(() => clients.every(({ total }) => total === BALLOTS), 'all to be current', 60_000);

    const before = await scriptCalls(redis);
    const since = new Stopwatch();
    for (const client of clients) client.reset();
    open();
    await until(() => clients.every(({ total }) => total === BALLOTS), 'all to be current again', 60_000);
    const currentMs = since.ms;
    const wallMs = since.wallMs;
    const reads = (await scriptCalls(redis)) - before;
    measured(
      'T14',
      `${CLIENTS} clients reset at once: all current after ${(currentMs / 1_000).toFixed(1)} s (${(wallMs / 1_000).toFixed(1)} s with the waiting for a processor), ${reads} reads of the engine`,
    );
    expect(clients.filter(({ isClosed }) => isClosed)).toEqual([]);
    expect(currentMs).toBeLessThan(CURRENT_MS);
    // One read for all clients of a tick, or sooner for a full group; there are no other reads.
    const most = Math.ceil(wallMs / READ_INTERVAL_MS) + 1 + Math.floor(CLIENTS / CROWD);
    expect(reads).toBeLessThanOrEqual(most);
  });

  async function scriptCalls(redis: RedisServer): Promise<number> {
    const client = clientOf(redis);
    const stats = await client.info('commandstats');
    client.disconnect();
    return ['eval', 'evalsha'].reduce(
      (sum, name) => sum + Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0),
      0,
    );
  }
});
