import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { within } from '../within.ts';
import type { ClusterTarget, RedisAddress, RedisTarget } from './redis-url.ts';

/**
 * How connections to Redis are made, opened and closed. Nothing is queued, no command is sent
 * twice, and a dead link is found in about four seconds. Each value avoids a measured trap of
 * ioredis 6.0.0.
 */

const PING_INTERVAL_MS = 1_000;
const RETRY_CAP_MS = 1_000;
const RETRY_JITTER_MS = 200;
const TOPOLOGY_INTERVAL_MS = 2_000;
const SENTINEL_COMMAND_TIMEOUT_MS = 1_000;
const OPEN_TIMEOUT_MS = 5_000;

const PROFILE = {
  lazyConnect: true,
  // Rejects commands in flight when the connection is lost. `autoResendUnfulfilledCommands: false`
  // alone leaves them pending for ever in 6.0.0 (redis/ioredis#2193); left on, it runs commands
  // twice and reports success.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableAutoPipelining: false,
  // ioredis resubscribes without an acknowledgement.
  autoResubscribe: false,
  commandTimeout: 1_500,
  connectTimeout: 3_000,
  // Starts only with a written command, so a quiet link needs the PINGs below.
  socketTimeout: 3_000,
  keepAlive: 10_000,
  // A frozen server never closes its end.
  disconnectTimeout: 250,
  // The default sleeps for 10 s after a restart, however little there is to load.
  maxLoadingRetryTime: 500,
  // After a failover the old primary is a replica. 1 reconnects; 2 would also send the failed command again.
  reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 1 : false),
} satisfies RedisOptions;

const OWN_CONNECTION = {
  ...PROFILE,
  // A queued command would run after its caller had got a timeout.
  enableOfflineQueue: false,
  retryStrategy: retryAfterMs,
} satisfies RedisOptions;

const CLUSTER = {
  lazyConnect: true,
  enableOfflineQueue: false,
  // Above 0, commands in flight on a lost connection are sent again and reported as successful.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  // A redirected command was not executed, so following it is safe.
  maxRedirections: 8,
  retryDelayOnTryAgain: 50,
  slotsRefreshTimeout: 1_000,
  slotsRefreshInterval: TOPOLOGY_INTERVAL_MS,
  clusterRetryStrategy: retryAfterMs,
  // Certificates have the names that the cluster announces.
  dnsLookup: (address, done) => done(null, address),
} satisfies ClusterOptions;

export interface ConnectionEvents {
  readonly onReady: () => void;
  readonly onLost: () => void;
  readonly onError: (error: Error) => void;
}

/** PEM texts for TLS: of a private authority, and of this client. */
export interface Certificates {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface RedisAccess {
  readonly target: RedisTarget;
  readonly certificates?: Certificates | undefined;
  readonly sentinelPassword?: string | undefined;
}

export interface ConnectionOptions extends RedisAccess {
  /** Adds connections for ballots alone, because WAIT blocks its connection. */
  readonly withBallots: boolean;
  readonly onError: (error: Error) => void;
}

/** @param address a node of the cluster, or the primary of the Sentinels; default the one server */
export function createConnection(
  access: RedisAccess,
  name: string,
  events: ConnectionEvents,
  address?: RedisAddress,
): Redis {
  const { target } = access;
  const { host, port } = address ?? target.nodes[0] ?? {};
  const client = new Redis({
    ...OWN_CONNECTION,
    connectionName: name,
    ...credentialsOf(access),
    ...(target.kind === 'single' && target.path !== undefined ? { path: target.path } : {}),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(target.kind !== 'cluster' && { db: target.db }),
  });
  // Without a listener ioredis writes to the console.
  client.on('error', events.onError);
  client.on('ready', events.onReady);
  client.on('close', events.onLost);
  keepPinging(client);
  return client;
}

export function createCluster(access: RedisAccess, target: ClusterTarget, name: string): Cluster {
  const redisOptions = { ...PROFILE, connectionName: name, ...credentialsOf(access) };
  const cluster = new Cluster([...target.nodes], { ...CLUSTER, redisOptions });
  cluster.on('+node', keepPinging);
  return cluster;
}

/** Options of a connection to a Sentinel, which gets commands while it is subscribed. */
export function sentinelOptions({ target, certificates, sentinelPassword }: RedisAccess) {
  const { maxRetriesPerRequest, autoResubscribe, connectTimeout, socketTimeout, disconnectTimeout } = PROFILE;
  const limits = { maxRetriesPerRequest, connectTimeout, socketTimeout, disconnectTimeout };
  return {
    ...limits,
    autoResubscribe,
    retryStrategy: retryAfterMs,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    commandTimeout: SENTINEL_COMMAND_TIMEOUT_MS,
    ...(sentinelPassword !== undefined && { password: sentinelPassword }),
    ...(target.tls && { tls: { ...certificates } }),
  };
}

function credentialsOf({ target, certificates }: RedisAccess) {
  const { username, password, tls } = target;
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: { ...certificates } }),
  };
}

function retryAfterMs(times: number): number {
  return Math.min(50 * 2 ** times, RETRY_CAP_MS) + Math.random() * RETRY_JITTER_MS;
}

function keepPinging(client: Redis): void {
  const pinging = setInterval(() => {
    // A failed PING ends in the socket timeout and a reconnect.
    if (client.status === 'ready') client.ping().catch(() => {});
  }, PING_INTERVAL_MS).unref();
  client.on('end', () => clearInterval(pinging));
}

/**
 * @param place names the server without the password
 * @throws Error in one line if it does not open within five seconds
 */
export async function openConnection(client: Redis | Cluster, place: string, tls: boolean): Promise<void> {
  let reason = `no answer within ${OPEN_TIMEOUT_MS / 1_000} s`;
  const note = (error: Error & { lastNodeError?: Error }) => {
    reason = error.lastNodeError?.message ?? error.message;
  };
  const events = ['error', 'node error'] as const;
  const emitter: NodeJS.EventEmitter = client;
  for (const event of events) emitter.on(event, note);
  try {
    // A cluster that is never ready leaves `connect` pending, even after `disconnect`.
    const opened = await within(OPEN_TIMEOUT_MS, client.connect(), 'late');
    if (opened === 'late') throw new Error(reason);
  } catch (cause) {
    client.disconnect();
    throw new Error(`${place} cannot be used: ${connectionFailure(reason, tls)}`, { cause });
  } finally {
    for (const event of events) emitter.off(event, note);
  }
}

/** Closes what cannot be opened. */
export async function openOrClose<Opened extends { close(): void | Promise<void> }>(
  opened: Opened,
  open: () => Promise<void>,
): Promise<Opened> {
  try {
    await open();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

export async function closeConnection(client: Redis | Cluster): Promise<void> {
  // QUIT would open a connection that was never opened.
  if (['wait', 'disconnecting', 'end'].includes(client.status)) return client.disconnect();
  await client.quit().catch(() => client.disconnect());
}

const HINTS: readonly [RegExp, string][] = [
  [/NOAUTH/, 'it asks for a password: write redis://:password@host:port'],
  [/WRONGPASS|NOPERM/, 'user or password are not right, or the user may not do this'],
  [
    /certificate required|handshake failure|bad certificate|unknown ca/i,
    'it asks for a certificate of this client: name it in REDIS_CERT_FILE and REDIS_KEY_FILE',
  ],
  [
    /wrong version number|EPROTO|packet length|SSL routines/i,
    'it answers without TLS: write redis:// for it',
  ],
  [
    /self.signed|unable to (get|verify)/i,
    'its certificate is not trusted: name the authority in REDIS_CA_FILE',
  ],
  [/EACCES/, 'this user may not open the socket'],
  [/cluster support disabled/, 'it is no cluster: write redis:// for it'],
  [/No such master/, 'they know no primary of this name'],
  [/unknown command .?sentinel/i, 'it is no Sentinel: write redis:// for it'],
];

/** Why a connection failed, with advice where ioredis' message has none. */
export function connectionFailure(reason: string, tls: boolean): string {
  const [line] = reason.split('\n', 1);
  const hint = HINTS.find(([pattern]) => pattern.test(reason))?.[1];
  if (hint) return `${hint} (${line})`;
  if (tls && /ETIMEDOUT|closed|ECONNRESET/.test(reason))
    return `no TLS answer: without TLS, write redis:// for it; if it asks for a certificate of this client, name one in REDIS_CERT_FILE and REDIS_KEY_FILE (${line})`;
  if (!tls && /closed|ECONNRESET/.test(reason))
    return `it closed the connection: if it uses TLS, write rediss:// for it (${line})`;
  return line as string;
}
