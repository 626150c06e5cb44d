import type { Redis } from 'ioredis';
import type { EngineDescription, EngineHealth } from '../engine.ts';
import { engineUnavailable, NO_PRIMARY } from './redis-commands.ts';
import type { RedisConnections, Shard } from './redis-connections.ts';
import type { RedisKeys } from './redis-keys.ts';

/** How Redis refuses a write that it could answer otherwise, by the beginning of the message. */
const REFUSALS: Readonly<Record<string, string>> = {
  MISCONF: 'Redis cannot write to its disk.',
  OOM: 'Redis has no memory left.',
  NOREPLICAS: 'Redis has fewer replicas than it was told to need.',
  READONLY: 'Redis is a replica.',
};
/** That nothing is known of writes is no fault: the slot moves, or the user may not ask. */
const ANSWERS = /^(MOVED|ASK|TRYAGAIN|NOPERM)\b/;
const NO_REPLICA = 'No replica takes the ballots, and DURABILITY=replicated waits for one.';
/** A replica says once a second how far it is. */
const MAX_LAG_S = 3;
/** More than enough names to meet every shard of a large cluster. */
const MAX_NAMES = 5_000;
const GONE = Symbol('gone');

/**
 * Asks every server for a write of nothing: SETRANGE of an empty text to a key that is not there changes nothing, reaches no
 * log and no replica, and is refused exactly where a ballot would be.
 *
 * @throws PollError `engine_unavailable` where no server answers
 */
export async function checkRedisHealth(
  { shards }: RedisConnections,
  keys: RedisKeys,
  isReplicated: boolean,
): Promise<EngineHealth> {
  const outcomes = await Promise.all(shards.map(shard => faultOf(shard, keys, isReplicated)));
  const present = outcomes.filter(outcome => outcome !== GONE);
  if (present.length === 0) throw engineUnavailable(NO_PRIMARY);
  const faults = present.filter(fault => fault !== undefined);
  const missing = outcomes.length - present.length;
  const gone = missing > 0 ? [`${missing} of ${outcomes.length} shards do not answer.`] : [];
  return {
    reads: missing > 0 ? 'some' : 'all',
    writes: faults.length === 0 ? 'all' : faults.length < present.length ? 'some' : 'none',
    fault: [...gone, ...new Set(faults)].join(' ') || undefined,
  };
}

/** @returns why it takes no ballots, undefined where it does */
async function faultOf(
  { client, owns }: Shard,
  keys: RedisKeys,
  isReplicated: boolean,
): Promise<string | undefined | typeof GONE> {
  const key = keyOwnedBy(owns, keys);
  if (!client || key === undefined) return GONE;
  try {
    await client.setrange(key, 0, '');
    return isReplicated && !(await hasReplica(client)) ? NO_REPLICA : undefined;
  } catch (error) {
    const { message } = error as Error;
    return REFUSALS[message.split(' ', 1)[0] as string] ?? (ANSWERS.test(message) ? undefined : GONE);
  }
}

async function hasReplica(client: Redis): Promise<boolean> {
  const info = await client.info('replication');
  return [...info.matchAll(/^slave\d+:.*\bstate=online\b.*\blag=(\d+)/gm)].some(
    ([, lag]) => Number(lag) <= MAX_LAG_S,
  );
}

/** Where a cluster is, the name decides who owns it. */
function keyOwnedBy(owns: (key: string) => boolean, keys: RedisKeys): string | undefined {
  for (let number = 0; number < MAX_NAMES; number += 1) {
    const key = keys.record(`health-${number}`);
    if (owns(key)) return key;
  }
  return undefined;
}

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
