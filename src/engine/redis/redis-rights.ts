import type { Cluster, Redis } from 'ioredis';
import { nameOn, type RedisStore, type Shard } from './redis-store.ts';

/**
 * What the Redis user of the server may do. A right that is missing shows at the start, not after
 * the first ballot is stored.
 */

export function isRefused(error: unknown): boolean {
  return String((error as Error | undefined)?.message).startsWith('NOPERM');
}

/**
 * Every command that the server sends or a script calls, with arguments that change nothing but the keys of this check.
 *
 * @param keyOf makes keys of one shard that exist for this check alone
 */
export function commandsUsed(
  isCluster: boolean,
  keyOf = (purpose: string) => purpose,
): (string | number)[][] {
  const keys = ['hash', 'list', 'set', 'stream', 'text', 'copy'].map(keyOf);
  const [hash, list, set, stream, text, copy] = keys as [string, string, string, string, string, string];
  return [
    ['PING'],
    ['INFO', 'server'],
    ['TIME'],
    ['SCAN', 0, 'COUNT', 1],
    ['EVAL', 'return 1', 1, text],
    ['EVALSHA', '0'.repeat(40), 1, text],
    ['SET', text, '', 'PX', 60_000],
    ['GET', text],
    ...(isCluster
      ? [
          ['CLUSTER', 'SLOTS'],
          ['CLUSTER', 'INFO'],
        ]
      : [['MGET', text]]),
    ['SETRANGE', text, 0, ''],
    ['EXISTS', text],
    ['PEXPIRE', text, 60_000],
    ['PEXPIREAT', text, Date.now() + 60_000],
    ['PEXPIRETIME', text],
    ['COPY', text, copy],
    ['RENAME', copy, text],
    ['PERSIST', text],
    ['HSET', hash, 'field', ''],
    ['HGET', hash, 'field'],
    ['HMGET', hash, 'field'],
    ['HEXISTS', hash, 'field'],
    ['HDEL', hash, 'other'],
    ['HSCAN', hash, 0],
    ['LPUSH', list, ''],
    ['LRANGE', list, 0, 0],
    ['LLEN', list],
    ['LPOS', list, ''],
    ['LINDEX', list, 0],
    ['LREM', list, 0, 'other'],
    ['LTRIM', list, 0, 0],
    ['ZADD', set, 0, 'member'],
    ['ZSCORE', set, 'member'],
    ['ZREM', set, 'other'],
    ['ZREVRANGE', set, 0, 0],
    ['ZRANGEBYSCORE', set, 0, 0],
    ['ZREVRANGEBYLEX', set, '+', '-'],
    ['ZREMRANGEBYRANK', set, 1, 1],
    ['XADD', stream, '1-0', 'field', ''],
    ['XRANGE', stream, '-', '+'],
    ['XREVRANGE', stream, '+', '-'],
    ['XDEL', stream, '2-0'],
    ['UNLINK', ...keys],
  ];
}

/** Sent for hints, beside the command that publishes them. */
export const CHANNEL_COMMANDS = {
  PUBLISH: ['subscribe', 'unsubscribe', 'publish'],
  SPUBLISH: ['ssubscribe', 'sunsubscribe', 'spublish'],
} as const;

/**
 * Does once, as the user of the server and on every shard, what the server will do.
 *
 * @param user as the URL names it
 * @throws Error in one line: what the user may not do, and the rules that allow it
 */
export async function checkRights(store: RedisStore, place: string, user = 'default'): Promise<void> {
  const found = await Promise.all(store.connections.shards.map(shard => missingOf(store, shard)));
  const rules = new Set(found.flat().filter(rule => rule !== undefined));
  if (rules.size === 0) return;
  throw new Error(
    `${place} cannot be used: its user "${user}" lacks rights. Allow them with ACL SETUSER ${user} ${[...rules].join(' ')}`,
  );
}

async function missingOf(store: RedisStore, shard: Shard): Promise<(string | undefined)[]> {
  const { connections, keys } = store;
  const topic = nameOn(shard.owns, 'rights', name => keys.aside(name, 'text'));
  if (topic === undefined) return [];
  const used = commandsUsed(connections.publish === 'SPUBLISH', purpose => keys.aside(topic, purpose));
  const sent = used.map(async ([name, ...values]) => {
    const refusal = await refusalOf(() => connections.commands.call(name as string, ...values));
    return refusal && ruleFor(refusal, `+${String(name).toLowerCase()}`, keys.prefix);
  });
  return [...(await Promise.all(sent)), ...(await missingForHints(store, topic))];
}

/** Subscribes to a channel and publishes in it. */
async function missingForHints(store: RedisStore, topic: string): Promise<(string | undefined)[]> {
  const { connections, keys } = store;
  const channel = keys.channel(topic);
  const subscriber = connections.subscriberOf(channel);
  const [subscribe, unsubscribe, publish] = CHANNEL_COMMANDS[connections.publish];
  const steps: [string, Redis | Cluster | undefined, ...string[]][] = [
    [subscribe, subscriber, channel],
    [publish, connections.commands, channel, ''],
    [unsubscribe, subscriber, channel],
  ];
  const rules: (string | undefined)[] = [];
  for (const [name, client, ...values] of steps) {
    const refusal = client && (await refusalOf(() => client.call(name, ...values)));
    rules.push(refusal && ruleFor(refusal, `+${name}`, keys.prefix));
  }
  return rules;
}

/** @returns the message of a refusal; undefined if the command was run, or failed for another reason */
async function refusalOf(send: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await send();
    return undefined;
  } catch (error) {
    return isRefused(error) ? (error as Error).message : undefined;
  }
}

function ruleFor(refusal: string, command: string, prefix: string): string {
  if (/channel/i.test(refusal)) return `&${prefix}*`;
  return /access (a|one of the) key|keys? mentioned/i.test(refusal) ? `~${prefix}*` : command;
}
