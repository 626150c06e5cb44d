// @module-tag redis-server
import { beforeAll, describe } from 'vitest';
import { engineContract } from '../../contract/engine-contract.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { redisRig } from '../../support/redis-rig.ts';
import { type RedisSentinels, startRedisSentinels } from '../../support/redis-sentinel.ts';
import { asLeastUser, openEngineAt } from './redis-subject.ts';

const rig = redisRig('file');

// One step touches one slot only, hints are heard where the slot lies, and each node has to know the scripts.
describe('on a cluster, as a user with the least rights', () => {
  let url: string;

  beforeAll(async () => {
    const cluster = await startRedisCluster();
    rig.closeAfter(() => cluster.stop());
    url = await asLeastUser(
      cluster.url,
      cluster.primaries.map(({ client }) => client),
    );
  });

  const open = () => openEngineAt(url);
  engineContract('the Redis engine', async () => ({ engine: await open(), another: open }));
});

describe('on a primary that Sentinels name', () => {
  let sentinels: RedisSentinels;

  beforeAll(async () => {
    sentinels = await startRedisSentinels();
    rig.closeAfter(() => sentinels.stop());
  });

  const open = () => openEngineAt(sentinels.url, { durability: 'replicated' });
  engineContract('the Redis engine', async () => ({ engine: await open(), another: open }));
});
