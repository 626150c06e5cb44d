// @module-tag redis-server
import { beforeAll, it } from 'vitest';
import { redisRig } from '../../support/redis-rig.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { pressAtRandom } from './random-presses.ts';

const { start, relayOn } = redisRig('file');
let relays: [TestRelay, TestRelay];
beforeAll(async () => {
  const { url } = await start();
  const options = { changesPerMinute: 100_000 };
  relays = [await relayOn(url, options), await relayOn(url, options)];
});
it.each([1, 2, 3, 4, 5, 6])('random presses %s', { timeout: 60_000 }, seed =>
  pressAtRandom(relays, seed, 300),
);
