// @module-tag redis-server
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { expectConsistent } from '../support/ledger.ts';
import { redisRig } from '../support/redis-rig.ts';
import { Crowd } from './crowd.ts';
import { between, measured, randomOf, size } from './plan.ts';
import { CONVERGES_MS, Screens } from './screens.ts';

const KILLS = 8;
const LONGEST_GAP_MS = 2_000;

const { start, relayOn, closeAfter } = redisRig();

/**
 * With `everysec` Redis itself answers before it writes while an fsync of its own is under way, for two seconds at most
 * (`flushAppendOnlyFile` in its source): what was acknowledged then, a kill takes. `always` answers after the fsync.
 */
const MAY_TAKE_MS = { always: 0, everysec: 2_000 };

describe.each(['always', 'everysec'] as const)('T1 kill -9 of Redis under load, fsync %s', fsync => {
  it('T1: loses no ballot that is on disk, counts none twice, tells what is lost, and is back in two seconds', async () => {
    const random = randomOf(`T1 ${fsync}`);
    const redis = await start(['--appendonly', 'yes', '--appendfsync', fsync]);
    const relay = await relayOn(redis.url);
    const engines = [await openEngine({ redisUrl: redis.url }), await openEngine({ redisUrl: redis.url })];
    closeAfter(() => Promise.all(engines.map(engine => engine.close())));
    const { id } = await relay.create({ answers: ['a', 'b', 'c'] });
    const screens = await Screens.open([relay], [id], 4);
    closeAfter(() => screens.close());

    const crowd = await Crowd.start({ engines, pollId: id, random });
    const killsAtMs: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await crowd.more(between(random, 100, size(1_000, 20_000)));
      killsAtMs.push(performance.now());
      await redis.kill9();
      await redis.restart();
    }
    await crowd.more(100);
    await crowd.end();

    const { lost, strange, stored } = await crowd.ledger.compare(engines[0] as Engine);
    const convergedMs = await screens.showing(stored);
    measured(
      'T1',
      `fsync ${fsync}, ${KILLS} kills: ${crowd.acknowledged} acknowledged, ${lost.length} lost by Redis, 0 twice, longest gap ${crowd.longestGapMs.toFixed(0)} ms, screens exact after ${convergedMs.toFixed(0)} ms`,
    );
    expect(strange).toEqual([]);
    for (const ballot of lost) {
      const { acceptedAtMs = 0 } = crowd.ledger.entries.get(ballot) ?? {};
      expect(killsAtMs.some(atMs => atMs > acceptedAtMs && atMs - acceptedAtMs < MAY_TAKE_MS[fsync])).toBe(
        true,
      );
    }
    screens.expectFollowed();
    // A screen that never showed lost ballots needs no reset.
    if (lost.length === 0) expect(screens.resets).toBe(0);
    expect(crowd.unexpected).toEqual([]);
    expect(convergedMs).toBeLessThan(CONVERGES_MS);
    expect(crowd.longestGapMs).toBeLessThan(LONGEST_GAP_MS);
  });
});

it('T1: a read is current and consistent, or it is 503 and says when to come again', async () => {
  const redis = await start(['--appendonly', 'yes', '--appendfsync', 'always']);
  const relay = await relayOn(redis.url);
  const { id } = await relay.create();
  const crowd = await Crowd.start({ engines: [relay.engine], pollId: id, random: randomOf('T1'), voters: 8 });
  const stopReading = keepReading(`${relay.url}/api/poll/${id}`, crowd);
  await crowd.more(50);
  await redis.kill9();
  await redis.restart();
  await crowd.more(50);
  await crowd.end();
  const statuses = await stopReading();
  expect(statuses).toEqual(new Set([200, 503]));
});

/** Reads all the while. A reply is current and consistent, or it is 503 and says when to come again. */
function keepReading(url: string, crowd: Crowd): () => Promise<Set<number>> {
  let isOn = true;
  const statuses = new Set<number>();
  const read = async () => {
    const acknowledged = crowd.acknowledged;
    const response = await fetch(url);
    statuses.add(response.status);
    if (response.status === 200) {
      const body = (await response.json()) as ResultsBody;
      expectConsistent(body);
      expect(body.total_votes).toBeGreaterThanOrEqual(acknowledged);
    } else {
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      await response.text();
    }
  };
  const ended = (async () => {
    while (isOn) {
      await read();
      await pause(5);
    }
  })();
  ended.catch(() => {});
  return async () => {
    isOn = false;
    await ended;
    return statuses;
  };
}
