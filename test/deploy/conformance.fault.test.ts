// @module-tag caddy
// @module-tag nginx
// @module-tag redis-server
import { afterAll, beforeAll } from 'vitest';
import { conformance } from '../protocol/conformance.ts';
import { foreignTarget } from '../protocol/target.ts';
import { type Rehearsal, rehearse, START_MS } from './rehearsal.ts';

/** The suite exceeds the default limits of one address. */
const LIMITS = {
  CREATE_PER_MINUTE: '100000',
  CHANGES_PER_MINUTE: '100000',
  CREATE_BYTES_PER_DAY: '1000000000',
};

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await rehearse(LIMITS);
}, START_MS);
afterAll(() => rehearsal?.stop());

conformance('the relays behind the reverse proxy of the compose file', () =>
  foreignTarget(rehearsal.url('front-door', 8080), rehearsal.redisUrl),
);
