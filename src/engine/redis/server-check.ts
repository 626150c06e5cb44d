import { once } from 'node:events';
import { connect } from 'node:net';
import type { Redis } from 'ioredis';
import type { EngineDescription, EngineHealth } from '../engine.ts';
import { engineUnavailable, NO_PRIMARY } from './redis-commands.ts';
import { isRefused } from './redis-rights.ts';
import { nameOn, type RedisConnections, type RedisStore, type Shard } from './redis-store.ts';
import { addressText, type RedisTarget } from './redis-url.ts';

/** What servers must be at the start, how healthy they are later, and how they describe themselves. */

type Warn = (warning: Error) => void;
type ReadField = (field: string) => string | undefined;

const PING = '*1\r\n$4\r\nPING\r\n';
const REPLY_MS = 1_000;
/** What a server sends before it rejects a connection; ioredis reports only that it was closed. */
const REJECTIONS: readonly [RegExp, string][] = [
  [
    /^-DENIED .*protected mode/,
    'it is in protected mode and accepts only clients of its own machine: set a password in Redis (requirepass) and in the address, or set protected-mode no where its network is private',
  ],
  [/^-ERR max number of clients/, 'it has as many clients as it allows (maxclients)'],
];

/**
 * PINGs the first server; one with TLS or without a reply is left to ioredis.
 *
 * @throws Error if it rejects this machine
 */
export async function checkRejection(target: RedisTarget): Promise<void> {
  const { kind, nodes, tls } = target;
  const [address] = nodes;
  if (!address || tls || kind === 'sentinel' || (kind === 'single' && target.path !== undefined)) return;
  const socket = connect(address.port, address.host);
  const timeout = setTimeout(() => socket.destroy(), REPLY_MS);
  socket.on('error', () => {});
  // In one write: a second one to a closing server would fail and discard its reply.
  socket.once('connect', () => socket.write(PING));
  const [reply] = await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => []);
  clearTimeout(timeout);
  socket.destroy();
  const reason = REJECTIONS.find(([pattern]) => pattern.test(String(reply)))?.[1];
  if (reason !== undefined) throw new Error(`Redis at ${addressText(address)} cannot be used: ${reason}`);
}

/** @throws Error if it is older than Redis 7, or not what the URL says */
export async function checkServer(
  client: Redis,
  place: string,
  clustered: boolean,
  warn: Warn,
): Promise<void> {
  const read = await readInfo(client, 'server', 'memory');
  const version = read('redis_version');
  // Without the right to INFO. The check of rights names it.
  if (version === undefined) return;
  if (!(Number.parseInt(version, 10) >= 7))
    throw new Error(`${place} is version ${version}; Tallycast needs Redis 7 or newer, or Valkey`);
  const isClustered = (read('redis_mode') ?? read('server_mode')) === 'cluster';
  if (isClustered && !clustered)
    throw new Error(`${place} is part of a cluster: write redis+cluster:// in REDIS_URL`);
  const policy = read('maxmemory_policy');
  if (read('maxmemory') !== '0' && policy !== 'noeviction')
    warn(new Error(`${place} evicts voters when memory is short (${policy}): set noeviction`));
}

export async function checkReplicas(client: Redis, place: string, warn: Warn): Promise<void> {
  const read = await readInfo(client, 'replication');
  if (read('connected_slaves') === '0')
    warn(
      new Error(
        `${place} has no replica, and DURABILITY=replicated: voters have to retry until there is one`,
      ),
    );
}

/** @throws Error if the server is a replica, whose data may be old and read-only */
export async function checkPrimary(client: Redis, place: string): Promise<void> {
  const primary = await primaryOf(client);
  if (primary !== undefined)
    throw new Error(`${place} is a replica of ${primary}: name the primary in REDIS_URL, or its Sentinels`);
}

/** @throws Error if there is no such database: ioredis would silently use the first one */
export async function checkDatabase(client: Redis, place: string, db: number): Promise<void> {
  if (db === 0) return;
  try {
    await client.select(db);
  } catch (cause) {
    throw new Error(`${place} has no database ${db} (${(cause as Error).message})`, { cause });
  }
}

/** @returns host:port of a replica's primary; undefined for a primary, or if the user may not ask */
export async function primaryOf(client: Redis): Promise<string | undefined> {
  const role = await client.role().catch((error: Error) => {
    if (!isRefused(error)) throw error;
  });
  const [kind, host, port] = (role ?? []) as unknown[];
  return kind === 'slave' ? `${host}:${port}` : undefined;
}

/** Rejected writes, by the first word of the message. */
const REJECTED_WRITES: Readonly<Record<string, string>> = {
  MISCONF: 'Redis cannot write to its disk.',
  OOM: 'Redis has no memory left.',
  NOREPLICAS: 'Redis has fewer replicas than it needs.',
  READONLY: 'Redis is a replica.',
  NOPERM: 'The user of Redis may not write any more: tallycast check names the right.',
};
/** No faults: the slot moves. */
const INCONCLUSIVE = /^(MOVED|ASK|TRYAGAIN)\b/;
const NO_REPLICA = 'No replica confirms ballots, and DURABILITY=replicated waits for one.';
const MAX_LAG_S = 3;
const GONE = Symbol('gone');

/**
 * Sends every server a write of nothing: SETRANGE of an empty text to a missing key changes
 * nothing, reaches no log or replica, and is rejected whenever a ballot would be.
 *
 * @throws PollError `engine_unavailable` if no server answers
 */
export async function checkRedisHealth(store: RedisStore, isReplicated: boolean): Promise<EngineHealth> {
  const { shards } = store.connections;
  const outcomes = await Promise.all(shards.map(shard => faultOf(shard, store, isReplicated)));
  const present = outcomes.filter(outcome => outcome !== GONE);
  if (present.length === 0) throw engineUnavailable(NO_PRIMARY);
  const faults = present.filter(fault => fault !== undefined);
  const missing = outcomes.length - present.length;
  const gone = missing > 0 ? [`${missing} of ${outcomes.length} shards do not answer.`] : [];
  return {
    reads: missing > 0 ? 'some' : 'all',
    writes: faults.length === 0 ? 'all' : faults.length < present.length ? 'some' : 'none',
    fault: [...gone, ...new Set(faults)].join(' ') || undefined,
  };
}

/** @returns why it rejects ballots; undefined if it accepts them */
async function faultOf(
  shard: Shard,
  { keys }: RedisStore,
  isReplicated: boolean,
): Promise<string | undefined | typeof GONE> {
  const { client } = shard;
  const name = nameOn(shard.owns, 'health', keys.record);
  if (!client || name === undefined) return GONE;
  try {
    await client.setrange(keys.record(name), 0, '');
    return isReplicated && !(await hasReplica(client)) ? NO_REPLICA : undefined;
  } catch (error) {
    const { message } = error as Error;
    const fault = REJECTED_WRITES[message.split(' ', 1)[0] as string];
    return fault ?? (INCONCLUSIVE.test(message) ? undefined : GONE);
  }
}

async function hasReplica(client: Redis): Promise<boolean> {
  const info = await client.info('replication');
  return [...info.matchAll(/^slave\d+:.*\bstate=online\b.*\blag=(\d+)/gm)].some(
    ([, lag]) => Number(lag) <= MAX_LAG_S,
  );
}

/** Leaves out what the user may not ask, as on many managed servers. */
export async function describeRedis({ shards }: RedisConnections, place: string): Promise<EngineDescription> {
  const present = shards.flatMap(({ client }) => (client ? [client] : []));
  const found = await Promise.all(present.map(describeServer));
  const kinds = [...new Set(found.map(({ text }) => text))].join('; ');
  const advice = [...new Set(found.flatMap(server => server.advice))].map(words => `${place} ${words}`);
  return { text: `${place}: ${shards.length > 1 ? `${shards.length} shards, ` : ''}${kinds}`, advice };
}

async function describeServer(client: Redis): Promise<EngineDescription> {
  const read = await readInfo(client, 'server', 'persistence', 'replication');
  const valkey = read('valkey_version');
  const name = valkey === undefined ? `Redis ${read('redis_version')}` : `Valkey ${valkey}`;
  const replicas = read('connected_slaves') ?? '0';
  const replication = `${replicas} ${replicas === '1' ? 'replica' : 'replicas'}`;
  if (read('aof_enabled') !== '1')
    return {
      text: `${name}, no append-only file, ${replication}`,
      advice: ['has no append-only file: a restart loses data since its last snapshot. Set appendonly yes'],
    };
  const [, fsync] = (await client.config('GET', 'appendfsync').catch(() => [])) as string[];
  const log = `append-only file${fsync === undefined ? '' : ` (${fsync})`}`;
  return { text: `${name}, ${log}, ${replication}`, advice: [] };
}

async function readInfo(client: Redis, ...sections: string[]): Promise<ReadField> {
  const info = await client.info(...sections).catch((error: Error) => {
    if (!isRefused(error)) throw error;
    return '';
  });
  return field => new RegExp(`^${field}:(\\S+)`, 'm').exec(info)?.[1];
}
