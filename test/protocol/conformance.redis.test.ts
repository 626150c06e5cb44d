// @module-tag redis-server
import { startRedisServer } from '../support/redis-server.ts';
import { conformance } from './conformance.ts';
import { redisTarget } from './target.ts';

conformance('a relay on Redis', async () => redisTarget(await startRedisServer()));
