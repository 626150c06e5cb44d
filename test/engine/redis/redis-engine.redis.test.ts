import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { engineContract } from '../../contract/engine-contract.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { openEngineAt } from './redis-subject.ts';

describe('on one server', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());

  const open = () => openEngineAt(server.url);
  engineContract('the Redis engine', async () => ({ engine: await open(), another: open }));
});

// One node that holds every slot: it refuses whatever would touch two slots, and knows sharded channels only by slot.
describe('on a server in cluster mode', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer({ args: ['--cluster-enabled', 'yes'] });
    const client = new Redis(server.url);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    while (!(await client.cluster('INFO')).includes('cluster_state:ok')) await client.ping();
    client.disconnect();
  });
  afterAll(() => server.stop());

  const open = () => openEngineAt(server.url);
  engineContract('the Redis engine', async () => ({ engine: await open(), another: open }));
});
