import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { ClusterTarget, RedisAddress, RedisTarget } from './redis-url.ts';

/**
 * How Tallycast connects to Redis: nothing is queued, nothing is sent twice behind the caller's back, and a link that
 * died in silence is noticed in about four seconds. Every value stands against a trap of ioredis 6.0.0 as measured.
 */

const PING_INTERVAL_MS = 1_000;
const RETRY_CAP_MS = 1_000;
const RETRY_JITTER_MS = 200;
/** How often a cluster is asked who owns which slot, where nothing has said before that this has changed. */
const TOPOLOGY_INTERVAL_MS = 2_000;

const PROFILE = {
  lazyConnect: true,
  // Rejects what is in flight the moment a connection is lost. `autoResendUnfulfilledCommands: false` alone would leave
  // it pending for ever in 6.0.0 (redis/ioredis#2193); left on, it runs commands twice and reports success.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableAutoPipelining: false,
  // ioredis resubscribes without a sign of when it is done.
  autoResubscribe: false,
  commandTimeout: 1_500,
  connectTimeout: 3_000,
  // Armed by a written command only, so it needs the PINGs below to be of any use on a quiet link.
  socketTimeout: 3_000,
  keepAlive: 10_000,
  // A server that is frozen hangs up only when it is hung up on.
  disconnectTimeout: 250,
  // The default sleeps for 10 s after a restart, however little there is to load.
  maxLoadingRetryTime: 500,
  // After a failover the old primary is a replica. 1 reconnects; 2 would also send the failed command again.
  reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 1 : false),
} satisfies RedisOptions;

const OWN_CONNECTION = {
  ...PROFILE,
  // A queued command outlives its timeout and is executed after the caller was told that it failed.
  enableOfflineQueue: false,
  retryStrategy: retryAfterMs,
} satisfies RedisOptions;

const SENTINEL_COMMAND_TIMEOUT_MS = 1_000;

const CLUSTER = {
  lazyConnect: true,
  enableOfflineQueue: false,
  // Above 0 what was in flight on a lost connection is sent again, and the caller told that all is well.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  // Redirected is not executed, so following it is safe.
  maxRedirections: 8,
  retryDelayOnTryAgain: 50,
  slotsRefreshTimeout: 1_000,
  slotsRefreshInterval: TOPOLOGY_INTERVAL_MS,
  clusterRetryStrategy: retryAfterMs,
  // Names in certificates belong to addresses as the cluster tells them.
  dnsLookup: (address, done) => done(null, address),
} satisfies ClusterOptions;

export interface ConnectionEvents {
  /** The link is usable: at first, and after each reconnect. */
  readonly onReady: () => void;
  readonly onLost: () => void;
  readonly onError: (error: Error) => void;
}

/** What `REDIS_URL` and the settings beside it say. */
export interface RedisAccess {
  readonly target: RedisTarget;
  /** PEM of the authority that signed the servers' certificates, where it is a private one. */
  readonly ca?: string | undefined;
  readonly sentinelPassword?: string | undefined;
}

/**
 * A connection that was never opened yet; its events may be listened to before the first of them.
 *
 * @param address a node of the cluster, or the primary that the Sentinels name; otherwise the one server
 */
export function createConnection(
  access: RedisAccess,
  name: string,
  events: ConnectionEvents,
  address?: RedisAddress,
): Redis {
  const client = new Redis({
    ...OWN_CONNECTION,
    connectionName: name,
    ...credentialsOf(access),
    ...placeOf(access, address),
  });
  // Without a listener ioredis writes to the console by itself.
  client.on('error', events.onError);
  client.on('ready', events.onReady);
  client.on('close', events.onLost);
  keepPinging(client);
  return client;
}

/** Commands to a whole cluster, routed by slot. */
export function createCluster(access: RedisAccess, target: ClusterTarget, name: string): Cluster {
  const redisOptions = { ...PROFILE, connectionName: name, ...credentialsOf(access) };
  const cluster = new Cluster([...target.nodes], { ...CLUSTER, redisOptions });
  cluster.on('+node', keepPinging);
  return cluster;
}

function credentialsOf({ target, ca }: RedisAccess) {
  const { username, password, tls } = target;
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: tlsOf(ca) } : {}),
  };
}

function placeOf({ target }: RedisAccess, address?: RedisAddress) {
  const { host, port } = address ?? target.nodes[0] ?? {};
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(target.kind === 'cluster' ? {} : { db: target.db }),
  };
}

/** For a connection to a Sentinel itself, which is asked while it listens. */
export function sentinelOptions({ target, ca, sentinelPassword }: RedisAccess) {
  const { maxRetriesPerRequest, autoResubscribe, connectTimeout, socketTimeout, disconnectTimeout } = PROFILE;
  return {
    ...{ maxRetriesPerRequest, autoResubscribe, connectTimeout, socketTimeout, disconnectTimeout },
    retryStrategy: retryAfterMs,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    commandTimeout: SENTINEL_COMMAND_TIMEOUT_MS,
    ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
    ...(target.tls ? { tls: tlsOf(ca) } : {}),
  };
}

/** Without an authority of its own, those that Node trusts. */
function tlsOf(ca: string | undefined): { ca?: string } {
  return ca === undefined ? {} : { ca };
}

function retryAfterMs(times: number): number {
  return Math.min(50 * 2 ** times, RETRY_CAP_MS) + Math.random() * RETRY_JITTER_MS;
}

function keepPinging(client: Redis): void {
  const pinging = setInterval(() => {
    // A failed PING ends in the socket timeout, a reconnect and `onLost`; there is nothing to do here.
    if (client.status === 'ready') client.ping().catch(() => {});
  }, PING_INTERVAL_MS).unref();
  client.on('end', () => clearInterval(pinging));
}
