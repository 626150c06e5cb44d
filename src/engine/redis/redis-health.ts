import type { Redis } from 'ioredis';
import type { EngineHealth } from '../engine.ts';
import type { RedisConnections, Shard } from './redis-connections.ts';
import { engineUnavailable, NO_PRIMARY } from './redis-failure.ts';
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
