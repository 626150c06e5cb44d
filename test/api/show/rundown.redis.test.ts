// @module-tag redis-server
import { beforeAll, describe } from 'vitest';
import { redisRig } from '../../support/redis-rig.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { buttonClaims } from './button-claims.ts';
import { lookClaims } from './look-claims.ts';
import { ownerClaims } from './owner-claims.ts';
import { pressClaims } from './press-claims.ts';
import { rundownClaims } from './rundown-claims.ts';

describe('on Redis, at two relays', () => {
  const { start, relayOn } = redisRig('file');
  let relays: [TestRelay, TestRelay];
  beforeAll(async () => {
    const { url } = await start();
    const options = { operatorKeys: ['operator-key-of-the-tests'], changesPerMinute: 100_000 };
    relays = [await relayOn(url, options), await relayOn(url, options)];
  });

  describe('a rundown', () => rundownClaims(() => relays));
  describe('looks of polls', () => lookClaims(() => relays));
  describe('a press', () => pressClaims(() => relays));
  describe('a button', () => buttonClaims(() => relays));
  describe('a show that owns polls', () => ownerClaims(() => relays));
});
