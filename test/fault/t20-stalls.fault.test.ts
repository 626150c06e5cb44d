// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { watchPoll } from '../../src/client/watch-poll.ts';
import type { WatchState } from '../../src/client/watch-state.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { startProgram } from '../start/program.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { Crowd } from './crowd.ts';
import { measured, randomOf, size } from './plan.ts';
import { CONVERGES_MS, Screens } from './screens.ts';

const STALLS_MS = [200, 1_000];
const ROUNDS = size(2, 10);
const CLIENTS = 20;
const BREATH_MS = 500;

/** On each signal the loop turns round itself for a while, as a huge computation would make it do. */
const PRELOAD = `
  const stalls = ${JSON.stringify(STALLS_MS)};
  process.on('SIGWINCH', () => {
    stalls.push(stalls.shift());
    const endMs = performance.now() + stalls.at(-1);
    while (performance.now() < endMs);
    process.stderr.write('stalled ');
  });
`;

const { start, closeAfter } = redisRig();

describe('T20 a relay whose event loop stands still', () => {
  it('T20: no client is disconnected or reports a lost relay, nothing goes back, and the end is exact', async () => {
    const redis = await start();
    const settings = { ROLE: 'relay', REDIS_URL: redis.url };
    const relay = await startProgram(settings, { preload: PRELOAD });
    await relay.running();
    const engine = await openEngine({ redisUrl: redis.url });
    closeAfter(() => engine.close());
    const { id } = await createPoll(relay.url);
    const screens = await Screens.open([{ wsUrl: relay.url.replace('http', 'ws') }], [id], CLIENTS);
    closeAfter(() => screens.close());
    const states: WatchState['state'][] = [];
    const watches = Array.from({ length: CLIENTS }, () =>
      watchPoll(`${relay.url}/api/poll/${id}`, {
        WebSocket,
        onResults: () => {},
        onState: ({ state }) => states.push(state),
      }),
    );
    closeAfter(() => {
      for (const watch of watches) watch.close();
    });
    // Of no poll, so that heartbeats are all that it hears.
    const quiet = await LiveClient.open(`${relay.url.replace('http', 'ws')}/api/live?heartbeat=1`);
    closeAfter(() => quiet.close());
    await until(() => states.length === CLIENTS, 'all to be live');

    const crowd = await Crowd.start({
      engines: [engine],
      pollId: id,
      random: randomOf('T20'),
      voters: 8,
      pauseMs: 20,
    });
    closeAfter(() => crowd.stop());
    for (let stall = 1; stall <= ROUNDS * STALLS_MS.length; stall += 1) {
      relay.child.kill('SIGWINCH');
      await until(() => relay.log.split('stalled').length === stall + 1, 'the stall', 30_000);
      await new Promise(done => setTimeout(done, BREATH_MS));
    }
    await crowd.end();
    const exactMs = await screens.showing(crowd.acknowledged);
    measured(
      'T20',
      `${ROUNDS} stalls each of ${STALLS_MS.join(' and ')} ms, ${crowd.acknowledged} ballots: exact ${(exactMs / 1_000).toFixed(1)} s after the last, none disconnected`,
    );
    expect(crowd.unexpected).toEqual([]);
    await crowd.ledger.expectExact(engine);
    screens.expectFollowed();
    expect(quiet.closed).toBeUndefined();
    expect(states).toEqual(states.map(() => 'live'));
    expect((await fetch(`${relay.url}/readyz`)).status).toBe(200);
    expect(exactMs).toBeLessThan(CONVERGES_MS);
  });
});
