import { Redis } from 'ioredis';
import { afterAll, afterEach } from 'vitest';
import { type RedisServer, type RedisServerOptions, startRedisServer } from './redis-server.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { startTestRelay, type TestRelay } from './test-relay.ts';

export interface RedisRig {
  /** A redis-server of its own, without persistence unless asked for. */
  start(args?: readonly string[], options?: RedisServerOptions): Promise<RedisServer>;
  /** A link to a server that fails on command, and its URL. */
  proxyTo(server: RedisServer): Promise<TcpProxy & { readonly url: string }>;
  /** @param redisUrl default: an embedded engine */
  relayOn(redisUrl?: string, options?: Parameters<typeof startTestRelay>[0]): Promise<TestRelay>;
  /** A plain client, to look and to break things past the engine. */
  clientOf(server: RedisServer): Redis;
  /** Anything else that must be closed before what was opened earlier. */
  closeAfter(close: () => unknown): void;
}

/**
 * Redis servers and what hangs on them, closed by themselves in the opposite order: after each test, or after the file
 * where they are opened in `beforeAll`.
 */
export function redisRig(lifetime: 'test' | 'file' = 'test'): RedisRig {
  const opened: (() => unknown)[] = [];
  const end = lifetime === 'test' ? afterEach : afterAll;
  end(async () => {
    const faults: unknown[] = [];
    for (const close of opened.splice(0).reverse())
      await Promise.resolve()
        .then(close)
        .catch(fault => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  });
  return {
    async start(args, options) {
      const server = await startRedisServer({ args, ...options });
      opened.push(() => server.stop());
      return server;
    },
    async proxyTo(server) {
      const proxy = await startTcpProxy(server.port);
      opened.push(() => proxy.close());
      return Object.assign(proxy, { url: `redis://127.0.0.1:${proxy.port}` });
    },
    async relayOn(redisUrl, options = {}) {
      const relay = await startTestRelay({ ...options, redisUrl });
      opened.push(() => relay.close());
      return relay;
    },
    clientOf(server) {
      const client = new Redis(server.url);
      opened.push(() => client.disconnect());
      return client;
    },
    closeAfter: close => void opened.push(close),
  };
}
