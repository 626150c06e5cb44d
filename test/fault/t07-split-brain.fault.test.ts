// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';
import { answering, Crowd } from './crowd.ts';
import { measured, randomOf, size } from './plan.ts';
import { Screens } from './screens.ts';

const SPLIT_MS = size(2_000, 5_000);
const EXACT_MS = 10_000;

const { start, proxyTo, relayOn, clientOf, closeAfter } = redisRig();

/** Two servers that both believe to be the primary, and an address that leads to one of them. */
describe('T7 a split brain', () => {
  it('T7: what the old primary took alone is lost for `fast` only, and every screen that saw it is reset and ends exact', async () => {
    const random = randomOf('T7');
    const old = await start(['--repl-diskless-sync-delay', '0']);
    const heir = await start(['--replicaof', `127.0.0.1 ${old.port}`, '--repl-diskless-sync-delay', '0']);
    await isFollowing(heir);
    const address = await proxyTo(old);
    const open = async (durability: 'fast' | 'replicated'): Promise<Engine> => {
      const engine = await openEngine({ redisUrl: address.url, durability });
      closeAfter(() => engine.close());
      return engine;
    };
    const [fast, replicated] = [await open('fast'), await open('replicated')];
    const relay = await relayOn(address.url);
    const [safe, hasty] = [(await relay.create()).id, (await relay.create()).id];
    const screens = await Screens.open([relay], [safe], 3);
    const hastyScreens = await Screens.open([relay], [hasty], 3);
    closeAfter(() => {
      screens.close();
      hastyScreens.close();
    });
    const crowd = await Crowd.start({ engines: [replicated], pollId: safe, random, voters: 8 });
    const hastyCrowd = await Crowd.start({ engines: [fast], pollId: hasty, random, voters: 4, pauseMs: 5 });
    await Promise.all([crowd.more(30), hastyCrowd.more(30)]);

    const operator = { old: clientOf(old), heir: clientOf(heir) };
    await operator.heir.replicaof('NO', 'ONE');
    // On the other side life goes on as well.
    const other = await openEngine({ redisUrl: heir.url });
    closeAfter(() => other.close());
    const otherCrowd = await Crowd.start({
      engines: [other],
      pollId: hasty,
      random,
      voters: 2,
      pauseMs: 20,
      from: 1_000_000,
    });
    await new Promise(done => setTimeout(done, SPLIT_MS));
    await otherCrowd.end();
    address.leadTo(heir.port);
    await operator.old.replicaof('127.0.0.1', heir.port);
    const since = new Stopwatch();
    await isFollowing(old);
    await Promise.all([crowd.more(20), hastyCrowd.more(20)]);
    const backMs = since.ms;
    await Promise.all([crowd.end(), hastyCrowd.end()]);
    await answering(relay.engine);

    const held = await crowd.ledger.compare(relay.engine);
    const hastily = await hastyCrowd.ledger.compare(relay.engine);
    const lost = hastily.lost.length;
    const convergedMs = Math.max(
      await screens.showing(held.stored),
      await hastyScreens.showing(hastily.stored),
    );
    measured(
      'T7',
      `old primary written to for ${SPLIT_MS / 1_000} s: replicated ${crowd.acknowledged} acknowledged, ${held.lost.length} lost; fast ${hastyCrowd.acknowledged}, ${lost} lost, ${hastyScreens.resets} of ${hastyScreens.clients.length} screens reset; back after ${(backMs / 1_000).toFixed(1)} s, screens exact after ${(convergedMs / 1_000).toFixed(1)} s`,
    );
    expect(held).toMatchObject({ lost: [], strange: [] });
    expect(lost).toBeGreaterThan(0);
    expect(hastyScreens.resets).toBe(hastyScreens.clients.length);
    screens.expectFollowed();
    hastyScreens.expectFollowed();
    expect(convergedMs).toBeLessThan(EXACT_MS);
  });

  async function isFollowing(server: RedisServer): Promise<void> {
    const client = clientOf(server);
    await until(
      async () => (await client.info('replication')).includes('master_link_status:up'),
      'the replica',
    );
    client.disconnect();
  }
});
