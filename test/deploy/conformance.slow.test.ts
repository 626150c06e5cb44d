// @module-tag caddy
// @module-tag redis-server
import { afterAll, beforeAll } from 'vitest';
import { conformance } from '../protocol/conformance.ts';
import { foreignTarget } from '../protocol/target.ts';
import { startCaddy } from '../support/caddy.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startRelayProcess } from '../support/relay-process.ts';

/** The suite exceeds the default limits of one address. */
const SETTINGS = {
  TRUST_PROXY: '127.0.0.1',
  CREATE_PER_MINUTE: '100000',
  CHANGES_PER_MINUTE: '100000',
  CREATE_BYTES_PER_DAY: '1000000000',
};

const rig = redisRig('file');
let redisUrl: string;
let door: Awaited<ReturnType<typeof startCaddy>>;
beforeAll(async () => {
  redisUrl = (await rig.start()).url;
  const relays = await Promise.all([0, 1].map(() => startRelayProcess(redisUrl, SETTINGS)));
  rig.closeAfter(() => Promise.all(relays.map(relay => relay.stop())));
  door = await startCaddy({ relays: relays.map(({ url }) => new URL(url).host) });
});
afterAll(() => door?.stop());

conformance('two relays behind the shipped reverse proxy', () => foreignTarget(door.url, redisUrl));
