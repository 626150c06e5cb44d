import { Redis } from 'ioredis';
import { type RedisAccess, sentinelOptions } from './redis-profile.ts';
import type { SentinelTarget } from './redis-url.ts';

const INTERVAL_MS = 1_000;

/**
 * Asks the Sentinels once a second who the primary is, in turn where one does not answer: an old primary that is cut off
 * from them, and not from us, goes on as if nothing had happened. (ioredis has a detector for this, whose connections
 * have no listener for errors and write to the console.)
 *
 * @param onPrimary told of every answer, as host:port
 * @returns ends the asking
 */
export function watchSentinels(
  access: RedisAccess,
  target: SentinelTarget,
  onPrimary: (address: string) => void,
): () => void {
  let client: Redis | undefined;
  let next = 0;
  const drop = () => {
    client?.disconnect();
    client = undefined;
  };
  const ask = async () => {
    client ??= connectTo(access, target.nodes[next++ % target.nodes.length] ?? target.nodes[0]!);
    const asked = client;
    try {
      const answer = await asked.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', target.name);
      if (Array.isArray(answer) && client === asked) onPrimary(`${answer[0]}:${answer[1]}`);
    } catch {
      if (client === asked) drop();
    }
  };
  const asking = setInterval(() => void ask(), INTERVAL_MS).unref();
  return () => {
    clearInterval(asking);
    drop();
  };
}

function connectTo(access: RedisAccess, address: SentinelTarget['nodes'][number]): Redis {
  const client = new Redis({ ...sentinelOptions(access), host: address.host, port: address.port });
  // What fails is tried at the next Sentinel.
  client.on('error', () => {});
  return client;
}
