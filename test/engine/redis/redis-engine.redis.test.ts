import { beforeAll, describe } from 'vitest';
import { engineContract } from '../../contract/engine-contract.ts';
import { redisRig } from '../../support/redis-rig.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { openEngineAt } from './redis-subject.ts';

const rig = redisRig('file');

describe('on one server', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await rig.start();
  });

  const open = () => openEngineAt(server.url);
  engineContract('the Redis engine', async () => ({ engine: await open(), another: open }));
});

// One node that holds every slot: it refuses whatever would touch two slots, and knows sharded channels only by slot.
describe('on a server in cluster mode', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await rig.start(['--cluster-enabled', 'yes']);
    const client = rig.clientOf(server);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    while (!(await client.cluster('INFO')).includes('cluster_state:ok')) await client.ping();
  });

  const open = () => openEngineAt(server.url);
  engineContract('the Redis engine', async () => ({ engine: await open(), another: open }));
});
