import { Redis, type RedisOptions } from 'ioredis';

/**
 * How Tallycast connects to Redis: nothing is queued, nothing is sent twice behind the caller's back, and a link that
 * died in silence is noticed in about four seconds. Every value stands against a trap of ioredis 6.0.0 as measured.
 */

const PING_INTERVAL_MS = 1_000;
const RETRY_CAP_MS = 1_000;
const RETRY_JITTER_MS = 200;

const PROFILE = {
  lazyConnect: true,
  // Rejects what is in flight the moment a connection is lost. `autoResendUnfulfilledCommands: false` alone would leave
  // it pending for ever in 6.0.0 (redis/ioredis#2193); left on, it runs commands twice and reports success.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // A queued command outlives its timeout and is executed after the caller was told that it failed.
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  // ioredis resubscribes without a sign of when it is done.
  autoResubscribe: false,
  commandTimeout: 1_500,
  connectTimeout: 3_000,
  // Armed by a written command only, so it needs the PINGs below to be of any use on a quiet link.
  socketTimeout: 3_000,
  keepAlive: 10_000,
  // The default sleeps for 10 s after a restart, however little there is to load.
  maxLoadingRetryTime: 500,
  // After a failover the old primary is a replica. 1 reconnects; 2 would also send the failed command again.
  reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 1 : false),
  retryStrategy: (times: number) => Math.min(50 * 2 ** times, RETRY_CAP_MS) + Math.random() * RETRY_JITTER_MS,
} satisfies RedisOptions;

export interface ConnectionEvents {
  /** The link is usable: at first, and after each reconnect. */
  readonly onReady: () => void;
  readonly onLost: () => void;
  readonly onError: (error: Error) => void;
}

/** A connection that was never opened yet; its events may be listened to before the first of them. */
export function createConnection(redisUrl: string, name: string, events: ConnectionEvents): Redis {
  const client = new Redis(redisUrl, { ...PROFILE, connectionName: name });
  // Without a listener ioredis writes to the console by itself.
  client.on('error', events.onError);
  client.on('ready', events.onReady);
  client.on('close', events.onLost);
  const pinging = setInterval(() => {
    // A failed PING ends in the socket timeout, a reconnect and `onLost`; there is nothing to do here.
    if (client.status === 'ready') client.ping().catch(() => {});
  }, PING_INTERVAL_MS).unref();
  client.on('end', () => clearInterval(pinging));
  return client;
}
