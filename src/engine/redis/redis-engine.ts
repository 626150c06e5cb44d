import { readFile } from 'node:fs/promises';
import { checkBallot } from '../check-ballot.ts';
import type { Engine } from '../engine.ts';
import type { RedisEngineOptions } from '../engine-options.ts';
import { ClusterConnections } from './cluster-connections.ts';
import { openOrClose } from './connection.ts';
import { RedisArchive } from './redis-archive.ts';
import { redisEventLog } from './redis-event-log.ts';
import { RedisHints } from './redis-hints.ts';
import { RedisPolls } from './redis-polls.ts';
import { redisComments, redisRecords } from './redis-records.ts';
import { checkRights } from './redis-rights.ts';
import { FORMAT, type RedisConnections, RedisStore, redisKeys } from './redis-store.ts';
import { describeTarget, parseRedisUrl, type RedisTarget } from './redis-url.ts';
import { checkRedisHealth, checkRejection, describeRedis } from './server-check.ts';
import { ServerConnections } from './server-connections.ts';

export interface RedisEngine extends Engine {
  readonly polls: RedisPolls;
}

/**
 * @throws Error in one line if Redis is not reached within five seconds, is older than 7, refuses
 *   its user or is not what the URL says
 */
export async function openRedisEngine(options: RedisEngineOptions): Promise<RedisEngine> {
  const target = parseRedisUrl(options.redisUrl);
  const place = describeTarget(target);
  const connections = await connectRedis(target, options);
  const store = new RedisStore(connections, redisKeys(options.redisPrefix ?? 'tallycast:'), options.onError);
  await openOrClose(connections, async () => {
    await checkRights(store, place, target.username);
    await requireFormat(store);
  });
  const isReplicated = options.durability === 'replicated';
  const polls = new RedisPolls(store, isReplicated, options.retentionDays);
  const hints = new RedisHints(store);
  return {
    polls,
    hints,
    records: redisRecords(store),
    comments: redisComments(store),
    archive: new RedisArchive(store),
    events: redisEventLog(store),
    castBallot: async ballot => polls.cast(checkBallot(ballot)),
    checkHealth: () => checkRedisHealth(store, isReplicated),
    describe: () => describeRedis(connections, place),
    async close() {
      await polls.close();
      hints.close();
      await connections.close();
    },
  };
}

async function connectRedis(target: RedisTarget, options: RedisEngineOptions): Promise<RedisConnections> {
  const { redisSentinelPassword: sentinelPassword, durability, onError = () => {} } = options;
  const { redisCaFile, redisCertFile, redisKeyFile } = options;
  await checkRejection(target);
  const [ca, cert, key] = await Promise.all([redisCaFile, redisCertFile, redisKeyFile].map(readPem));
  const access = { target, certificates: { ca, cert, key }, sentinelPassword };
  const connection = { ...access, onError, withBallots: durability === 'replicated' };
  return target.kind === 'cluster'
    ? ClusterConnections.open(connection, target)
    : ServerConnections.open(connection);
}

async function readPem(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return await readFile(file, 'utf8').catch(cause => {
    throw new Error(`The certificate or key for Redis cannot be read from ${file}: ${cause.code}`, { cause });
  });
}

/** @throws Error if the data has a format that this version would read wrongly */
async function requireFormat({ connections, keys }: RedisStore): Promise<void> {
  // Without the right or the room to write, the data may still be read.
  const format = await connections.commands.get(keys.format).catch(() => FORMAT);
  if (format === null) await connections.commands.set(keys.format, FORMAT, 'NX').catch(() => {});
  else if (format !== FORMAT)
    throw new Error(
      `The data in Redis has format ${format}, and this version knows ${FORMAT}: start the version that wrote it, or export there and import here under another REDIS_PREFIX`,
    );
}
