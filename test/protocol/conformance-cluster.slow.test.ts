// @module-tag redis-server
import { startRedisCluster } from '../support/redis-cluster.ts';
import { conformance } from './conformance.ts';
import { redisTarget } from './target.ts';

conformance('a relay on Redis Cluster', async () => redisTarget(await startRedisCluster()));
