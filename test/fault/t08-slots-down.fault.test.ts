// @module-tag redis-server
import { beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../support/api-request.ts';
import { redisRig } from '../support/redis-rig.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';
import { measured, pick, randomOf } from './plan.ts';
import { type ClusterHouse, startClusterHouse, WatchedCluster } from './watched-cluster.ts';

/** What nodes keep on disk, and that those which are left go on alone: as the README advises. */
const ARGS = ['--appendonly', 'yes', '--appendfsync', 'always', '--cluster-require-full-coverage', 'no'];
const AWAY_MS = 6_000;

const rig = redisRig('file');
let house: ClusterHouse;
beforeAll(async () => {
  house = await startClusterHouse(rig, { args: ARGS });
});

describe('T8 a cluster that has lost slots for a while', () => {
  it('T8: an owner and its replica, both killed, take only their own polls away, and return with every ballot', async () => {
    const random = randomOf('T8 slots down');
    const { cluster, relays, ownerOf } = house;
    const watched = await WatchedCluster.open(house, random);
    rig.closeAfter(() => watched.close());
    const index = pick(random, [0, 1, 2]);
    const pair = [cluster.primaries[index]!.server, cluster.replicas[index]!.server] as const;
    const owners = await Promise.all(watched.ids.map(ownerOf));
    const gone = watched.ids.filter((_, poll) => owners[poll]?.server === pair[0]);
    const others = watched.ids.filter(id => !gone.includes(id));
    const statuses = async (ids: readonly string[]) =>
      Promise.all(ids.map(async id => (await ask(`${relays[0].url}/api/poll/${id}`)).status));

    await Promise.all(pair.map(server => server.kill9()));
    const since = new Stopwatch();
    await until(async () => (await statuses(gone)).every(status => status === 503), 'the loss');
    const away = new Stopwatch();
    let rounds = 0;
    while (away.ms < AWAY_MS) {
      expect(new Set(await statuses(gone))).toEqual(new Set([503]));
      expect(new Set(await statuses(others))).toEqual(new Set([200]));
      await watched.more(1, others);
      rounds += 1;
    }
    const awayMs = since.ms;
    const { status, json } = await ask(`${relays[0].url}/readyz`);
    expect([status, json.degraded]).toEqual([
      200,
      [{ path: 'engine', message: '1 of 3 shards do not answer.' }],
    ]);
    const isStale = (id: string) => watched.shownOf(id).every(message => message?.type === 'stale');
    expect(gone.filter(id => !isStale(id))).toEqual([]);
    expect(others.filter(isStale)).toEqual([]);

    await Promise.all(pair.map(server => server.restart()));
    const back = new Stopwatch();
    await until(
      async () => (await statuses(watched.ids)).every(status => status === 200),
      'all polls',
      60_000,
    );
    const readsMs = back.ms;
    await watched.more(3);
    measured(
      'T8',
      `an owner and its replica away for ${(awayMs / 1_000).toFixed(1)} s: ${gone.length} polls 503, ${others.length} read and cast in all the while (${rounds} rounds)`,
    );
    await watched.expectWhole('both returned', readsMs);
  });
});
