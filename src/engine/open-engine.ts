import type { Engine } from './engine.ts';
import type { RedisEngineOptions } from './redis/redis-engine.ts';

export type { Ballot, BallotOutcome, BallotReceipt, Proof, StoredBallot } from '../poll/ballot.ts';
export type { NewPoll, Poll, PollId, Reading, Results } from '../poll/poll.ts';
export type { PollChange } from '../poll/poll-change.ts';
export type { Engine, EngineHealth } from './engine.ts';

export interface EngineOptions {
  /**
   * `redis[s]://[user:password@]host:port[/db]`, `unix:///path/of/socket[?db=1]`,
   * `redis[s]+sentinel://host:port,host:port/<name>` or `redis[s]+cluster://host:port,host:port`;
   * default: the embedded engine.
   */
  readonly redisUrl?: string | undefined;
  /** Default `tallycast:`. */
  readonly redisPrefix?: string | undefined;
  /** PEM file of a private certificate authority. */
  readonly redisCaFile?: string | undefined;
  /** PEM files of this client's certificate and its key. */
  readonly redisCertFile?: string | undefined;
  readonly redisKeyFile?: string | undefined;
  /** If the Sentinels have a password of their own. */
  readonly redisSentinelPassword?: string | undefined;
  /** Folder of the embedded engine; default `./data`. */
  readonly dataDir?: string | undefined;
  /** `fast` relies on the engine's own persistence; `replicated` also waits until a replica holds each ballot. */
  readonly durability?: 'fast' | 'replicated' | undefined;
  /**
   * Days to keep polls after their end or their last ballot, for polls that are created or changed here; 0 for ever. By
   * default new polls are kept for 365 days, and a change keeps a poll's own. Casting a ballot never changes it.
   */
  readonly retentionDays?: number | undefined;
  /** Called with lost connections and dangerous settings of Redis. */
  readonly onError?: ((error: Error) => void) | undefined;
  /**
   * Opens the embedded engine's files beside the server that uses them, which sees writes within a
   * second or two. `read` throws if there are none yet, `copy` if they are not a complete copy by
   * an archive.
   */
  readonly beside?: 'read' | 'write' | 'copy' | undefined;
}

/**
 * Opens the engine for the options. Loads only that engine's code.
 *
 *     import { openEngine } from 'tallycast/engine';
 *     const engine = await openEngine({ redisUrl: 'redis://127.0.0.1:6379' });
 *     const { outcome } = await engine.castBallot({ pollId, answers: [answerId], voter, address, ballotId });
 *     await engine.close();
 *
 * The human check, the sign-in that `only_reg` asks for (`signedIn: true`) and the look-up of VPNs
 * (`behindVpn`) are the caller's.
 *
 * @throws Error in one line if Redis cannot be reached or is older than 7, or if another process
 *   uses the data directory
 */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const redis = redisOptions(options);
  if (!redis) {
    const { openEmbeddedEngine } = await import('./embedded/embedded-engine.ts');
    const { dataDir = './data', retentionDays, beside } = options;
    return openEmbeddedEngine({ dataDir, retentionDays, beside });
  }
  const { openRedisEngine } = await import('./redis/redis-engine.ts');
  return openRedisEngine(redis);
}

function redisOptions(options: EngineOptions): RedisEngineOptions | undefined {
  const { redisUrl, redisPrefix = 'tallycast:', durability = 'fast', retentionDays, onError } = options;
  if (redisUrl === undefined) return undefined;
  return {
    redisUrl,
    prefix: redisPrefix,
    durability,
    retentionDays,
    onError,
    caFile: options.redisCaFile,
    certFile: options.redisCertFile,
    keyFile: options.redisKeyFile,
    sentinelPassword: options.redisSentinelPassword,
  };
}
