import { afterAll, beforeAll } from 'vitest';
import { openRedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import { engineContract } from '../../contract/engine-contract.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

function open() {
  return openRedisEngine({
    redisUrl: server.url,
    prefix: 'tallycast:',
    durability: 'fast',
    retentionDays: 365,
  });
}

engineContract('the Redis engine', async () => ({ engine: await open(), another: open }));
