import { readFile } from 'node:fs/promises';
import type { Ballot, BallotReceipt } from '../../poll/ballot.ts';
import { checkBallot } from '../check-ballot.ts';
import type { Engine, EngineDescription, EngineHealth } from '../engine.ts';
import { ClusterConnections } from './cluster-connections.ts';
import { CommandsInFlight } from './commands-in-flight.ts';
import { RedisArchive } from './redis-archive.ts';
import type { RedisConnections } from './redis-connections.ts';
import { checkRedisHealth, describeRedis } from './redis-health.ts';
import { RedisHints } from './redis-hints.ts';
import { FORMAT, type RedisKeys, redisKeys } from './redis-keys.ts';
import { RedisPolls } from './redis-polls.ts';
import { RedisComments, RedisRecords } from './redis-records.ts';
import { describeTarget, parseRedisUrl } from './redis-url.ts';
import { checkWelcome } from './server-check.ts';
import { ServerConnections } from './server-connections.ts';

export interface RedisEngineOptions {
  /** In one of the forms that `redis-url.ts` reads. */
  readonly redisUrl: string;
  /** File (PEM) of the authority that signed the servers' certificates, where it is a private one. */
  readonly caFile?: string | undefined;
  /** Where the Sentinels have a password of their own. */
  readonly sentinelPassword?: string | undefined;
  readonly prefix: string;
  /** `replicated` acknowledges a ballot only once a replica holds it, too. */
  readonly durability: 'fast' | 'replicated';
  /** 0 keeps polls for ever. Left out, new polls are kept for a year, and a change leaves a poll's own. */
  readonly retentionDays?: number | undefined;
  readonly onError?: ((error: Error) => void) | undefined;
}

/** @throws Error in one line where Redis cannot be reached within five seconds, is older than 7 or is not what the URL says */
export async function openRedisEngine(options: RedisEngineOptions): Promise<RedisEngine> {
  const connections = await connectRedis(options);
  const keys = redisKeys(options.prefix);
  try {
    await requireFormat(connections, keys);
  } catch (error) {
    await connections.close();
    throw error;
  }
  return new RedisEngine(connections, keys, options);
}

/** The connections alone, whatever lies in Redis. */
export async function connectRedis(options: RedisEngineOptions): Promise<RedisConnections> {
  const { redisUrl, caFile, sentinelPassword, durability, onError = () => {} } = options;
  const target = parseRedisUrl(redisUrl);
  await checkWelcome(target);
  const ca = caFile === undefined ? undefined : await readAuthority(caFile);
  const connection = { target, ca, sentinelPassword, withBallots: durability === 'replicated', onError };
  return target.kind === 'cluster'
    ? ClusterConnections.open(connection, target)
    : ServerConnections.open(connection);
}

/** @throws Error where another version has written there, in a way that this one would read wrongly */
async function requireFormat({ commands }: RedisConnections, { format }: RedisKeys): Promise<void> {
  // A Redis that takes no writes, or not from this user, has no say in whether it may be read.
  const noted = await commands.set(format, FORMAT, 'NX', 'GET').catch(() => null);
  if (noted !== null && noted !== FORMAT) throw otherFormat(noted);
}

export function otherFormat(noted: string): Error {
  const advice =
    Number(noted) < Number(FORMAT)
      ? 'stop every server and run `tallycast migrate <backup file>`'
      : 'start the version that wrote it, or export there and import here under another REDIS_PREFIX';
  return new Error(`What lies in Redis has format ${noted}, and this version knows ${FORMAT}: ${advice}`);
}

export class RedisEngine implements Engine {
  readonly polls: RedisPolls;
  readonly hints: RedisHints;
  readonly records: RedisRecords;
  readonly comments: RedisComments;
  readonly archive: RedisArchive;
  readonly #connections: RedisConnections;
  readonly #keys: RedisKeys;
  readonly #isReplicated: boolean;
  readonly #place: string;

  constructor(
    connections: RedisConnections,
    keys: RedisKeys,
    { redisUrl, durability, retentionDays, onError = () => {} }: RedisEngineOptions,
  ) {
    const commands = new CommandsInFlight(connections);
    this.#connections = connections;
    this.#keys = keys;
    this.#place = describeTarget(parseRedisUrl(redisUrl));
    this.#isReplicated = durability === 'replicated';
    this.hints = new RedisHints(connections, commands, keys.channel, onError);
    this.polls = new RedisPolls({
      connections,
      commands,
      keys,
      isReplicated: this.#isReplicated,
      retentionDays,
      onError,
    });
    this.records = new RedisRecords(commands, keys, connections.publish === 'SPUBLISH');
    this.comments = new RedisComments(commands, keys, connections.publish);
    this.archive = new RedisArchive(connections, commands, keys);
  }

  castBallot(ballot: Ballot): Promise<BallotReceipt> {
    try {
      return this.polls.cast(checkBallot(ballot));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  checkHealth(): Promise<EngineHealth> {
    return checkRedisHealth(this.#connections, this.#keys, this.#isReplicated);
  }

  describe(): Promise<EngineDescription> {
    return describeRedis(this.#connections, this.#place);
  }

  async close(): Promise<void> {
    await this.polls.close();
    this.hints.close();
    await this.#connections.close();
  }
}

function readAuthority(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(cause => {
    throw new Error(`The authority of Redis' certificates cannot be read from ${file}: ${cause.code}`, {
      cause,
    });
  });
}
