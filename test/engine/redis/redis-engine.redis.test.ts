// @module-tag redis-server
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
