import { afterAll, beforeAll, it } from 'vitest';
import { startTestRelay, type TestRelay } from '../../support/test-relay.ts';
import { pressAtRandom } from './random-presses.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await startTestRelay({ changesPerMinute: 100_000 });
});
afterAll(() => relay.close());
it.each([1, 2, 3])('random presses %s', { timeout: 60_000 }, seed =>
  pressAtRandom([relay, relay], seed, 300),
);
