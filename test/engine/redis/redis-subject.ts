import type { Redis } from 'ioredis';
import type { RedisEngineOptions } from '../../../src/engine/engine-options.ts';
import { openRedisEngine, type RedisEngine } from '../../../src/engine/redis/redis-engine.ts';
import { CHANNEL_COMMANDS, commandsUsed } from '../../../src/engine/redis/redis-rights.ts';
import { redisRig } from '../../support/redis-rig.ts';

export function openEngineAt(
  redisUrl: string,
  options: Partial<RedisEngineOptions> = {},
): Promise<RedisEngine> {
  return openRedisEngine({ redisUrl, retentionDays: 365, ...options });
}

/** The least rights, as rules of `ACL SETUSER`. */
export function leastRights(prefix: string, isCluster: boolean): string {
  const names = commandsUsed(isCluster).map(([name, sub]) =>
    name === 'CLUSTER' ? `cluster|${String(sub).toLowerCase()}` : String(name).toLowerCase(),
  );
  const channels = CHANNEL_COMMANDS[isCluster ? 'SPUBLISH' : 'PUBLISH'];
  // The role tells a failover that Sentinels do not, and WAIT is for DURABILITY=replicated.
  const all = [...names, ...channels, ...(isCluster ? [] : ['select']), 'role', 'wait'];
  return `~${prefix}* &${prefix}* ${all.map(name => `+${name}`).join(' ')}`;
}

/** Makes a user with the least rights. @returns the URL with this user */
export async function asLeastUser(
  url: string,
  clients: readonly Redis[],
  prefix = 'tallycast:',
): Promise<string> {
  const rules = leastRights(prefix, url.includes('+cluster')).split(' ');
  for (const client of clients) await client.call('ACL', 'SETUSER', 'least', 'on', '>secret', ...rules);
  return url.replace('://', '://least:secret@');
}

/** The channels that followers have, without those by which engines probe the delivery every five seconds. */
export async function followedChannels(client: Redis): Promise<string[]> {
  const channels = (await client.pubsub('CHANNELS')) as string[];
  return channels.filter(name => !name.endsWith(':hints:probe'));
}

/** The rig, and engines on its servers. */
export function redisEngineRig(lifetime?: 'test' | 'file') {
  const rig = redisRig(lifetime);
  return {
    ...rig,
    async openAt(url: string, options: Partial<RedisEngineOptions> = {}): Promise<RedisEngine> {
      const engine = await openEngineAt(url, options);
      rig.closeAfter(() => engine.close());
      return engine;
    },
  };
}

/** Collects an engine's announcements. */
export function availabilityOf(engine: RedisEngine): boolean[] {
  const events: boolean[] = [];
  engine.hints.onAvailability(available => events.push(available));
  return events;
}
