import type { Migration } from './archive.ts';
import type { Engine } from './engine.ts';
import type { RedisEngineOptions } from './redis/redis-engine.ts';

export type { Ballot, BallotOutcome, BallotReceipt, Proof, StoredBallot } from '../poll/ballot.ts';
export type { NewPoll, Poll, PollId, Reading, Results } from '../poll/poll.ts';
export type { PollChange } from '../poll/poll-change.ts';
export type { Engine, EngineHealth } from './engine.ts';

export interface EngineOptions {
  /**
   * `redis[s]://[user:password@]host:port[/db]`, `redis[s]+sentinel://host:port,host:port/<name>` or
   * `redis[s]+cluster://host:port,host:port`; without it the embedded engine is opened.
   */
  readonly redisUrl?: string | undefined;
  /** Default `tallycast:`. */
  readonly redisPrefix?: string | undefined;
  /** File (PEM) of the authority that signed Redis' certificates, where it is a private one. */
  readonly redisCaFile?: string | undefined;
  /** Where the Sentinels have a password of their own. */
  readonly redisSentinelPassword?: string | undefined;
  /** Where the embedded engine keeps its files; default `./data`. */
  readonly dataDir?: string | undefined;
  /** `fast` trusts the engine's own persistence; `replicated` waits for a replica to hold each ballot, too. */
  readonly durability?: 'fast' | 'replicated' | undefined;
  /**
   * Days for which polls that are created or changed here are kept after their end or their last ballot; 0 keeps them. Left
   * out, new polls are kept for 365 days, and a change leaves a poll's own. Casting a ballot never changes it.
   */
  readonly retentionDays?: number | undefined;
  /** Told of lost connections and of dangerous settings of Redis; left out, nobody is. */
  readonly onError?: ((error: Error) => void) | undefined;
  /**
   * Opens the embedded engine's files beside the server that is using them, for what is done at a terminal: LMDB takes several
   * processes, and the server sees what is written within a second or two. `read` throws where there are none yet, `copy` where they
   * are no whole copy that an archive made.
   */
  readonly beside?: 'read' | 'write' | 'copy' | undefined;
}

/**
 * Opens the engine that the options ask for: the only switch on its kind. Each adapter is loaded only when it is chosen,
 * so that a relay on Redis never maps LMDB, and the other way round.
 *
 *     import { openEngine } from 'tallycast/engine';
 *     const engine = await openEngine({ redisUrl: 'redis://127.0.0.1:6379' });
 *     const { outcome } = await engine.castBallot({ pollId, answers: [answerId], voter, address, ballotId });
 *     await engine.close();
 *
 * @throws Error in one line where Redis cannot be reached or is older than 7, or another process uses the data directory
 */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const redis = redisOptions(options);
  if (!redis) {
    const { openEmbeddedEngine } = await import('./embedded/open-embedded-engine.ts');
    const { dataDir = './data', retentionDays, beside } = options;
    return openEmbeddedEngine({ dataDir, retentionDays, beside });
  }
  const { openRedisEngine } = await import('./redis/redis-engine.ts');
  return openRedisEngine(redis);
}

/** @returns undefined where there is nothing to convert. The embedded engine's format is still its first one */
export async function openMigration(options: EngineOptions): Promise<Migration | undefined> {
  const redis = redisOptions(options);
  if (!redis) return undefined;
  const { openRedisMigration } = await import('./redis/format-2.ts');
  return openRedisMigration(redis);
}

function redisOptions({
  redisUrl,
  redisPrefix = 'tallycast:',
  durability = 'fast',
  ...options
}: EngineOptions): RedisEngineOptions | undefined {
  if (redisUrl === undefined) return undefined;
  const { redisCaFile: caFile, redisSentinelPassword: sentinelPassword, retentionDays, onError } = options;
  return { redisUrl, caFile, sentinelPassword, prefix: redisPrefix, durability, retentionDays, onError };
}
