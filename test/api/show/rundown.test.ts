import { afterAll, beforeAll, describe } from 'vitest';
import { startTestRelay, type TestRelay } from '../../support/test-relay.ts';
import { buttonClaims } from './button-claims.ts';
import { lookClaims } from './look-claims.ts';
import { ownerClaims } from './owner-claims.ts';
import { pressClaims } from './press-claims.ts';
import { rundownClaims } from './rundown-claims.ts';

describe('on the embedded engine', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: ['operator-key-of-the-tests'], changesPerMinute: 100_000 });
  });
  afterAll(() => relay.close());

  describe('a rundown', () => rundownClaims(() => [relay, relay]));
  describe('looks of polls', () => lookClaims(() => [relay, relay]));
  describe('a press', () => pressClaims(() => [relay, relay]));
  describe('a button', () => buttonClaims(() => [relay, relay]));
  describe('a show that owns polls', () => ownerClaims(() => [relay, relay]));
});
