import { afterAll, beforeAll, describe } from 'vitest';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { pairClaims } from './pair-claims.ts';

describe('on the embedded engine', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ changesPerMinute: 1e9 });
  });
  afterAll(() => relay.close());

  pairClaims(() => [relay, relay]);
});
