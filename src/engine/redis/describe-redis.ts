import type { Redis } from 'ioredis';
import type { EngineDescription } from '../engine.ts';
import type { RedisConnections } from './redis-connections.ts';

/**
 * What the servers say of themselves. What a user may not ask, as with many managed servers, is left out.
 *
 * @param place what messages call it: never with a password
 */
export async function describeRedis({ shards }: RedisConnections, place: string): Promise<EngineDescription> {
  const present = shards.flatMap(({ client }) => (client ? [client] : []));
  const found = await Promise.all(present.map(describeServer));
  const kinds = [...new Set(found.map(({ text }) => text))].join('; ');
  const advice = [...new Set(found.flatMap(server => server.advice))].map(words => `${place} ${words}`);
  return { text: `${place}: ${shards.length > 1 ? `${shards.length} shards, ` : ''}${kinds}`, advice };
}

async function describeServer(client: Redis): Promise<EngineDescription> {
  const info = await client.info('server', 'persistence', 'replication');
  const read = (field: string) => new RegExp(`^${field}:(\\S+)`, 'm').exec(info)?.[1];
  const valkey = read('valkey_version');
  const name = valkey === undefined ? `Redis ${read('redis_version')}` : `Valkey ${valkey}`;
  const keepsLog = read('aof_enabled') === '1';
  const [, fsync] = keepsLog ? ((await client.config('GET', 'appendfsync').catch(() => [])) as string[]) : [];
  const log = `append-only file${fsync === undefined ? '' : ` (${fsync})`}`;
  const replicas = read('connected_slaves') ?? '0';
  return {
    text: [
      name,
      keepsLog ? log : 'no append-only file',
      `${replicas} ${replicas === '1' ? 'replica' : 'replicas'}`,
    ].join(', '),
    advice: keepsLog
      ? []
      : [
          'keeps no append-only file: what came since its last snapshot is lost when it ends. Set appendonly yes',
        ],
  };
}
