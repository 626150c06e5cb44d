export interface EmbeddedOptions {
  /** Folder of the embedded engine; default `./data`. */
  readonly dataDir?: string | undefined;
  /**
   * Days to keep polls after their end or their last ballot, for polls that are created or changed
   * here; 0 for ever. By default new polls are kept for 365 days, and a change keeps a poll's own.
   * Casting a ballot never changes it.
   */
  readonly retentionDays?: number | undefined;
  /**
   * Opens the embedded engine's files beside the server that uses them, which sees writes within a
   * second or two. `read` throws if there are none yet, `copy` if they are not a complete copy by
   * an archive.
   */
  readonly beside?: 'read' | 'write' | 'copy' | undefined;
}

export interface RedisEngineOptions {
  readonly redisUrl: string;
  /** Default `tallycast:`. */
  readonly redisPrefix?: string | undefined;
  /** PEM file of a private certificate authority. */
  readonly redisCaFile?: string | undefined;
  /** PEM files of this client's certificate and its key. */
  readonly redisCertFile?: string | undefined;
  readonly redisKeyFile?: string | undefined;
  /** If the Sentinels have a password of their own. */
  readonly redisSentinelPassword?: string | undefined;
  /** `fast`, the default, relies on the engine's own persistence; `replicated` also waits for a replica. */
  readonly durability?: 'fast' | 'replicated' | undefined;
  /** As of the embedded engine. */
  readonly retentionDays?: number | undefined;
  /** Called with lost connections and dangerous settings of Redis. */
  readonly onError?: ((error: Error) => void) | undefined;
}

export interface EngineOptions extends EmbeddedOptions, Omit<RedisEngineOptions, 'redisUrl'> {
  /**
   * `redis[s]://[user:password@]host:port[/db]`, `unix:///path/of/socket[?db=1]`,
   * `redis[s]+sentinel://host:port,host:port/<name>` or `redis[s]+cluster://host:port,host:port`;
   * default: the embedded engine.
   */
  readonly redisUrl?: string | undefined;
}
