// @module-tag redis-server
import { describe } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { describeChat } from './chat-claims.ts';
import { startTwitchServer } from './twitch-server.ts';

describe('votes from Twitch on Redis', () => {
  describeChat(startTwitchServer, async () => {
    const redis = await startRedisServer();
    const engine = await openEngine({ redisUrl: redis.url });
    return {
      engine,
      async close() {
        await engine.close();
        await redis.stop();
      },
    };
  });
});
