// @module-tag redis-server
import { startRedisSentinels } from '../support/redis-sentinel.ts';
import { conformance } from './conformance.ts';
import { redisTarget } from './target.ts';

conformance('a relay on a primary that Sentinels name', async () => redisTarget(await startRedisSentinels()));
