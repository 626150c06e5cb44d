import { readFile } from 'node:fs/promises';
import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import { checkBallot } from '../check-ballot.ts';
import type { Comments, Engine, EngineDescription, EngineHealth, EventLog, Records } from '../engine.ts';
import type { RedisEngineOptions } from '../engine-options.ts';
import { ClusterConnections } from './cluster-connections.ts';
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

/**
 * @throws Error in one line if Redis is not reached within five seconds, is older than 7, refuses
 *   its user or is not what the URL says
 */
export async function openRedisEngine(options: RedisEngineOptions): Promise<RedisEngine> {
  const target = parseRedisUrl(options.redisUrl);
  const place = describeTarget(target);
  const connections = await connectRedis(target, options);
  const store = new RedisStore(connections, redisKeys(options.redisPrefix ?? 'tallycast:'), options.onError);
  try {
    await checkRights(store, place, target.username);
    await requireFormat(store);
  } catch (error) {
    await connections.close();
    throw error;
  }
  return new RedisEngine(store, place, options);
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

export class RedisEngine implements Engine {
  readonly polls: RedisPolls;
  readonly hints: RedisHints;
  readonly records: Records;
  readonly comments: Comments;
  readonly archive: RedisArchive;
  readonly events: EventLog;
  readonly #store: RedisStore;
  readonly #isReplicated: boolean;
  readonly #place: string;

  constructor(store: RedisStore, place: string, { durability, retentionDays }: RedisEngineOptions) {
    this.#store = store;
    this.#place = place;
    this.#isReplicated = durability === 'replicated';
    this.hints = new RedisHints(store);
    this.polls = new RedisPolls(store, this.#isReplicated, retentionDays);
    this.records = redisRecords(store);
    this.comments = redisComments(store);
    this.archive = new RedisArchive(store);
    this.events = redisEventLog(store);
  }

  async castBallot(ballot: Ballot): Promise<BallotReceipt> {
    return this.polls.cast(checkBallot(ballot));
  }

  checkHealth(): Promise<EngineHealth> {
    return checkRedisHealth(this.#store, this.#isReplicated);
  }

  describe(): Promise<EngineDescription> {
    return describeRedis(this.#store.connections, this.#place);
  }

  async close(): Promise<void> {
    await this.polls.close();
    this.hints.close();
    await this.#store.connections.close();
  }
}
