import { describe, it } from 'vitest';
import { RawSocket } from '../support/raw-socket.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { startProgram } from './program.ts';

describe('the program while it starts', { timeout: 60_000 }, () => {
  it.each([
    ['PORT', 'url'],
    ['VOTE_PORT', 'voteUrl'],
  ] as const)('lets whoever comes to its %s wait, and answers', async (_, address) => {
    const redis = await startRedisServer();
    // Nothing can be opened before it answers.
    redis.pause();
    const program = await startProgram({ REDIS_URL: redis.url });
    let visitor: RawSocket | undefined;
    await until(async () => {
      visitor = await RawSocket.open(program[address]).catch(() => undefined);
      return visitor !== undefined;
    }, 'it to listen');
    visitor?.send('GET /livez HTTP/1.1\r\nHost: relay.test\r\n\r\n');
    redis.resume();
    await until(() => visitor?.text.includes('200 OK') === true, 'the answer');
    await redis.stop();
  });
});
