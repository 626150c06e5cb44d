// @module-tag redis-server
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { redisRig } from '../support/redis-rig.ts';
import { type RedisSentinels, startRedisSentinels } from '../support/redis-sentinel.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import type { TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { answering, Crowd } from './crowd.ts';
import { between, measured, randomOf, size } from './plan.ts';
import { Screens } from './screens.ts';

/** Sentinels hold a primary for lost after one second here: settings of more take as much longer. */
const READS_BACK_MS = 5_000;
/**
 * Once another one is named; what the Sentinels need for a vote, and for another one where it was a
 * draw, is theirs.
 */
const FOLLOWED_MS = 2_000;
/** After a failover, from the last ballot on. */
const CONVERGES_MS = 10_000;
/** What `fast` may lose: what no replica had yet, and what the old primary took until it was left. */
const MAY_LOSE_MS = { before: 2_000, after: READS_BACK_MS };
/**
 * Where Sentinels say before that they promote, `fast` loses what is under way then; a busy machine
 * hears of it late.
 */
const MAY_LOSE_BY_COMMAND = 100;
const ROUNDS = size(1, 5);

const rig = redisRig('file');
let sentinels: RedisSentinels;
let relays: TestRelay[];
let replicated: Engine[];
let fast: Engine;
beforeAll(async () => {
  sentinels = await startRedisSentinels();
  rig.closeAfter(() => sentinels.stop());
  const open = async (durability: 'fast' | 'replicated') => {
    const engine = await openEngine({ redisUrl: sentinels.url, durability });
    rig.closeAfter(() => engine.close());
    return engine;
  };
  relays = [await rig.relayOn(sentinels.url), await rig.relayOn(sentinels.url)];
  replicated = [await open('replicated'), await open('replicated')];
  fast = await open('fast');
});

/** The primary and the other one. */
async function roles(): Promise<[primary: RedisServer, replica: RedisServer]> {
  const port = await sentinels.primaryPort();
  const [one, other] = sentinels.servers;
  return one.port === port ? [one, other] : [other, one];
}

/** Does what Sentinels do after some ten seconds: the old primary follows the new one. */
async function makeReplica(server: RedisServer, primary: RedisServer): Promise<void> {
  const client = rig.clientOf(server);
  await client.replicaof('127.0.0.1', primary.port);
  await until(
    async () => (await client.info('replication')).includes('master_link_status:up'),
    'the replica',
  );
  client.disconnect();
}

const FAULTS = {
  'is killed': (primary: RedisServer) => primary.kill9(),
  'is frozen': async (primary: RedisServer) => primary.pause(),
  'is replaced by command': () => sentinels.failover(),
};
const HEALS = {
  'is killed': (old: RedisServer) => old.restart(),
  'is frozen': async (old: RedisServer) => old.resume(),
  'is replaced by command': async () => {},
};
const CASES = Object.keys(FAULTS).flatMap(fault => Array(ROUNDS).fill(fault)) as (keyof typeof FAULTS)[];

describe('T6 a failover', () => {
  it.each(CASES)(
    'T6: where the primary %s, reads are back in five seconds, and nothing that a replica held is lost',
    async fault => {
      const random = randomOf(`T6 ${fault}`);
      const relay = relays[0] as TestRelay;
      await answering(relay.engine, fast, ...replicated);
      const [safe, hasty] = [(await relay.create()).id, (await relay.create()).id];
      const screens = await Screens.open(relays, [safe], 2);
      const hastyScreens = await Screens.open(relays, [hasty], 2);
      const crowd = await Crowd.start({ engines: replicated, pollId: safe, random, voters: 32 });
      const hastyCrowd = await Crowd.start({ engines: [fast], pollId: hasty, random, voters: 8 });
      await crowd.more(between(random, 50, 300));

      const [old, heir] = await roles();
      const faultAtMs = performance.now();
      const pids = [heir, ...sentinels.sentinels].map(server => server.process.pid);
      const since = new Stopwatch(...pids);
      await FAULTS[fault](old);
      await until(async () => (await sentinels.primaryPort()) === heir.port, 'the Sentinels to name another');
      const namedMs = since.ms;
      await until(
        () => Promise.all(relays.map(({ url }) => isRead(url, safe))).then(all => all.every(Boolean)),
        'reads',
      );
      const readsMs = since.ms;
      const byTheClockMs = since.wallMs;
      const leftAtMs = performance.now();
      await HEALS[fault](old);
      await makeReplica(old, heir);
      await Promise.all([crowd.more(50), hastyCrowd.more(50)]);
      const acknowledgedMs = since.ms;
      await Promise.all([crowd.end(), hastyCrowd.end()]);

      const held = await crowd.ledger.compare(relay.engine);
      const hastily = await hastyCrowd.ledger.compare(relay.engine);
      const convergedMs = await screens.showing(held.stored);
      await hastyScreens.showing(hastily.stored);
      measured(
        'T6',
        `primary ${fault}: another named after ${s(namedMs)}, reads back after ${s(readsMs)} (${s(byTheClockMs)} by the clock), replicated ballots after ${s(acknowledgedMs)}; replicated ${crowd.acknowledged} acknowledged, ${held.lost.length} lost; fast ${hastyCrowd.acknowledged}, ${hastily.lost.length} lost, ${hastyScreens.resets} of ${hastyScreens.clients.length} screens reset`,
      );
      expect(held).toMatchObject({ lost: [], strange: [] });
      expect(hastily.strange).toEqual([]);
      for (const id of hastily.lost) {
        const { acceptedAtMs = 0 } = hastyCrowd.ledger.entries.get(id) ?? {};
        expect(acceptedAtMs).toBeGreaterThan(faultAtMs - MAY_LOSE_MS.before);
        expect(acceptedAtMs).toBeLessThan(leftAtMs + MAY_LOSE_MS.after);
      }
      if (fault === 'is replaced by command') expect(hastily.lost.length).toBeLessThan(MAY_LOSE_BY_COMMAND);
      screens.expectFollowed();
      hastyScreens.expectFollowed();
      expect([...crowd.unexpected, ...hastyCrowd.unexpected]).toEqual([]);
      expect(convergedMs).toBeLessThan(CONVERGES_MS);
      expect(readsMs).toBeLessThan(Math.max(READS_BACK_MS, namedMs + FOLLOWED_MS));
      expect(readsMs - namedMs).toBeLessThan(FOLLOWED_MS);
      await expectListening(heir, safe);
      screens.close();
      hastyScreens.close();
    },
  );
});

async function isRead(url: string, id: string): Promise<boolean> {
  const { status } = await fetch(`${url}/api/poll/${id}`);
  expect([200, 503]).toContain(status);
  return status === 200;
}

/** Each relay listens at the new primary, once. */
async function expectListening(primary: RedisServer, id: string): Promise<void> {
  const client = rig.clientOf(primary);
  const channel = `tallycast:{${id}}:hints`;
  await expect.poll(async () => await client.pubsub('NUMSUB', channel)).toEqual([channel, relays.length]);
  client.disconnect();
}

function s(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
