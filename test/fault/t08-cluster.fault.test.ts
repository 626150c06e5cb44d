import calculateSlot from 'cluster-key-slot';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { type ClusterNode, type RedisCluster, startRedisCluster } from '../support/redis-cluster.ts';
import { redisRig } from '../support/redis-rig.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import type { TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { answering, Crowd } from './crowd.ts';
import { measured, pick, type Random, randomOf, shuffle, size } from './plan.ts';
import { Screens } from './screens.ts';

const POLLS = 100;
const MOVES = size(20, 100);
const EXACT_MS = 10_000;

const rig = redisRig('file');
let cluster: RedisCluster;
let relays: TestRelay[];
let engines: Engine[];
beforeAll(async () => {
  cluster = await startRedisCluster({ primaries: 3, replicas: 3 });
  rig.closeAfter(() => cluster.stop());
  relays = [await rig.relayOn(cluster.url), await rig.relayOn(cluster.url)];
  engines = await Promise.all(
    [0, 1].map(() => openEngine({ redisUrl: cluster.url, durability: 'replicated' })),
  );
  rig.closeAfter(() => Promise.all(engines.map(engine => engine.close())));
});

const slotOf = (id: string) => calculateSlot(`{${id}}`);

describe('T8 a cluster of three primaries and three replicas, 100 polls watched at two relays', () => {
  let ids: string[];
  let screens: Screens;
  let crowds: Crowd[];
  let random: Random;
  beforeEach(async ({ task }) => {
    random = randomOf(task.name);
    const relay = relays[0] as TestRelay;
    await answering(...engines, ...relays.map(({ engine }) => engine));
    ids = (await Promise.all(Array.from({ length: POLLS }, () => relay.create()))).map(({ id }) => id);
    screens = await Screens.open(relays, ids);
    crowds = await Promise.all(
      ids.map(pollId => Crowd.start({ engines, pollId, random, voters: 1, pauseMs: 50 })),
    );
    await more(3);
  });
  afterEach(async () => {
    await Promise.all(crowds.map(crowd => crowd.stop()));
    screens.close();
  });

  const more = (ballots: number) => Promise.all(crowds.map(crowd => crowd.more(ballots)));
  const ownerOf = (id: string) => cluster.ownerOf(slotOf(id));
  const anotherThan = async (id: string): Promise<ClusterNode> => {
    const owner = await ownerOf(id);
    return pick(
      random,
      cluster.primaries.filter(node => node !== owner && runs(node)),
    );
  };

  /** Everybody stops, and everything is counted, shown and listened to where it lies now. */
  async function expectWhole(what: string, readsMs?: number): Promise<void> {
    await Promise.all(crowds.map(crowd => crowd.end()));
    const since = new Stopwatch();
    const shown = await Promise.all(
      crowds.map(crowd => crowd.ledger.compare((relays[0] as TestRelay).engine)),
    );
    const totals = new Map(ids.map((id, index) => [id, shown[index]?.stored]));
    const { clients } = screens;
    const wrong = () =>
      clients.filter(({ last }) => last?.type !== 'results' || last.total_votes !== totals.get(last.id));
    await until(() => wrong().length === 0, 'all screens', 60_000).catch(() =>
      expect(wrong().map(({ last }) => last)).toEqual([]),
    );
    const convergedMs = since.ms;
    const deaf = await deafAfter(since);
    const acknowledged = crowds.reduce((sum, crowd) => sum + crowd.acknowledged, 0);
    const gapMs = Math.max(...crowds.map(({ longestGapMs }) => longestGapMs));
    const back = readsMs === undefined ? '' : `, reads of all back after ${(readsMs / 1_000).toFixed(1)} s`;
    measured(
      'T8',
      `${what}: ${acknowledged} acknowledged, ${shown.flatMap(({ lost }) => lost).length} lost, longest gap of a poll ${(gapMs / 1_000).toFixed(1)} s${back}, screens exact after ${(convergedMs / 1_000).toFixed(1)} s, hints heard at the owners after ${(deaf / 1_000).toFixed(1)} s`,
    );
    for (const { lost, strange } of shown) expect({ lost, strange }).toEqual({ lost: [], strange: [] });
    screens.expectFollowed();
    // A dead owner may have shown what no replica held, and nobody was told that it counts.
    if (readsMs === undefined) expect(screens.resets).toBe(0);
    expect(crowds.flatMap(({ unexpected }) => unexpected)).toEqual([]);
    expect(convergedMs).toBeLessThan(EXACT_MS);
    expect(deaf).toBeLessThan(EXACT_MS);
  }

  /** @returns milliseconds until each relay is subscribed to each poll at the node that owns it */
  async function deafAfter(since: Stopwatch): Promise<number> {
    const listeners = async (id: string) => {
      const { client } = await ownerOf(id);
      return ((await client.call('PUBSUB', 'SHARDNUMSUB', `tallycast:{${id}}:hints`)) as [string, number])[1];
    };
    const unheard = async () => {
      const counts = await Promise.all(ids.map(listeners));
      return ids.filter((_, index) => counts[index] !== relays.length);
    };
    await until(async () => (await unheard()).length === 0, 'all hints', 15_000).catch(async () =>
      expect(await unheard()).toEqual([]),
    );
    return since.ms;
  }

  it('T8: slots that move, and some back again at once, lose and double nothing', async () => {
    for (const id of shuffle(random, ids).slice(0, MOVES)) {
      const owner = await ownerOf(id);
      await cluster.moveSlot(slotOf(id), await anotherThan(id));
      if (random() < 0.3) await cluster.moveSlot(slotOf(id), owner);
    }
    await more(3);
    await expectWhole(`${MOVES} slots moved`);
  });

  it('T8: a new node that takes slots is listened to and cast at', async () => {
    const node = await cluster.addPrimary();
    // Without a replica nothing would be acknowledged there.
    await cluster.addReplica(node);
    for (const id of shuffle(random, ids).slice(0, MOVES)) await cluster.moveSlot(slotOf(id), node);
    await more(3);
    await expectWhole(`a node added, ${MOVES} slots moved to it`);
  });

  it('T8: where the owner of slots is killed its replica takes over, and nothing that it held is lost', async () => {
    const since = new Stopwatch();
    const owner = await ownerWithReplica();
    await owner.server.kill9();
    const reads = async () => {
      const replies = await Promise.all(ids.map(id => fetch(`${relays[0]?.url}/api/poll/${id}`)));
      for (const { status } of replies) expect([200, 503]).toContain(status);
      return replies.every(({ status }) => status === 200);
    };
    await until(async () => !(await reads()), 'the loss');
    await until(reads, 'all polls to be read', 60_000);
    const readsMs = since.ms;
    await owner.server.restart();
    await more(3);
    await expectWhole('an owner killed', readsMs);
  });

  /** One of the first three that owns polls and has somebody to take over. */
  async function ownerWithReplica(): Promise<ClusterNode> {
    const owners = new Set(await Promise.all(ids.map(ownerOf)));
    for (const node of shuffle(random, [...owners])) {
      const info = await node.client.info('replication');
      if (/state=online/.test(info)) return node;
    }
    throw new Error('No owner has a replica');
  }
});

function runs({ server }: ClusterNode): boolean {
  return server.process.exitCode === null && server.process.signalCode === null;
}
