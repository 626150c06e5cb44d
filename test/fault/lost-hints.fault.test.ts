// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import type { Polls } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { castBallots, startTestRelay } from '../support/test-relay.ts';

const BALLOTS = 40;

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
