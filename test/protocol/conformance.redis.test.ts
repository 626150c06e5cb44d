import { startRedisServer } from '../support/redis-server.ts';
import { conformance } from './conformance.ts';
import { ownTarget } from './target.ts';

conformance('a relay on Redis', async () => {
  const server = await startRedisServer();
  const target = await ownTarget(server.url);
  return {
    ...target,
    async close() {
      await target.close();
      await server.stop();
    },
  };
});
