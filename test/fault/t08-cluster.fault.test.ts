// @module-tag redis-server
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterNode } from '../support/redis-cluster.ts';
import { redisRig } from '../support/redis-rig.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';
import { pick, type Random, randomOf, shuffle, size } from './plan.ts';
import { type ClusterHouse, runs, slotOf, startClusterHouse, WatchedCluster } from './watched-cluster.ts';

const MOVES = size(20, 100);

const rig = redisRig('file');
let house: ClusterHouse;
beforeAll(async () => {
  house = await startClusterHouse(rig);
});

describe('T8 a cluster of three primaries and three replicas, 100 polls watched at two relays', () => {
  let watched: WatchedCluster;
  let random: Random;
  beforeEach(async ({ task }) => {
    random = randomOf(task.name);
    watched = await WatchedCluster.open(house, random);
  });
  afterEach(() => watched.close());

  const anotherThan = async (id: string): Promise<ClusterNode> => {
    const owner = await house.ownerOf(id);
    return pick(
      random,
      house.cluster.primaries.filter(node => node !== owner && runs(node)),
    );
  };

  it('T8: slots that move, and some back again at once, lose and double nothing', async () => {
    const { cluster, ownerOf } = house;
    for (const id of shuffle(random, watched.ids).slice(0, MOVES)) {
      const owner = await ownerOf(id);
      await cluster.moveSlot(slotOf(id), await anotherThan(id));
      if (random() < 0.3) await cluster.moveSlot(slotOf(id), owner);
    }
    await watched.more(3);
    await watched.expectWhole(`${MOVES} slots moved`);
  });

  it('T8: a new node that takes slots is listened to and cast at', async () => {
    const { cluster } = house;
    const node = await cluster.addPrimary();
    // Without a replica nothing would be acknowledged there.
    await cluster.addReplica(node);
    for (const id of shuffle(random, watched.ids).slice(0, MOVES)) await cluster.moveSlot(slotOf(id), node);
    await watched.more(3);
    await watched.expectWhole(`a node added, ${MOVES} slots moved to it`);
  });

  it('T8: where the owner of slots is killed its replica takes over, and nothing that it held is lost', async () => {
    const since = new Stopwatch();
    const owner = await ownerWithReplica();
    await owner.server.kill9();
    const reads = async () => {
      const urls = watched.ids.map(id => `${house.relays[0].url}/api/poll/${id}`);
      const replies = await Promise.all(urls.map(url => fetch(url)));
      for (const { status } of replies) expect([200, 503]).toContain(status);
      return replies.every(({ status }) => status === 200);
    };
    await until(async () => !(await reads()), 'the loss');
    await until(reads, 'all polls to be read', 60_000);
    const readsMs = since.ms;
    await owner.server.restart();
    await watched.more(3);
    await watched.expectWhole('an owner killed', readsMs);
  });

  /** One of the first three nodes that owns polls and has a replica. */
  async function ownerWithReplica(): Promise<ClusterNode> {
    const owners = new Set(await Promise.all(watched.ids.map(house.ownerOf)));
    for (const node of shuffle(random, [...owners])) {
      const info = await node.client.info('replication');
      if (/state=online/.test(info)) return node;
    }
    throw new Error('No owner has a replica');
  }
});
