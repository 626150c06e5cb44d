// @module-tag redis-server
import { beforeAll, describe } from 'vitest';
import { redisRig } from '../support/redis-rig.ts';
import type { TestRelay } from '../support/test-relay.ts';
import { pairClaims } from './pair-claims.ts';

describe('on Redis, at two relays', () => {
  const { start, relayOn } = redisRig('file');
  let relays: [TestRelay, TestRelay];
  beforeAll(async () => {
    const { url } = await start();
    relays = [await relayOn(url, { changesPerMinute: 1e9 }), await relayOn(url, { changesPerMinute: 1e9 })];
  });

  pairClaims(() => relays);
});
