import { once } from 'node:events';
import { connect } from 'node:net';
import type { Redis } from 'ioredis';
import { addressText, type RedisTarget } from './redis-url.ts';

/** What a server must be before anything is kept on it. Everything is refused in one line that says what to do. */

type Warn = (warning: Error) => void;

const PING = '*1\r\n$4\r\nPING\r\n';
const GREETING_MS = 1_000;
/** What a server says before it hangs up on a client that it does not let in. ioredis shows only that it hung up. */
const TURNED_AWAY: readonly [RegExp, string][] = [
  [
    /^-DENIED .*protected mode/,
    'it is in protected mode and takes clients of its own machine alone: set a password in Redis (requirepass) and in the address, or set protected-mode no where its network is private',
  ],
  [/^-ERR max number of clients/, 'it has as many clients as it takes (maxclients)'],
];

/**
 * Asks the first server of the target for a PONG. One that does not answer, or speaks TLS, is left to ioredis.
 *
 * @throws Error where the server turns this machine away
 */
export async function checkWelcome({ kind, nodes, tls }: RedisTarget): Promise<void> {
  const [address] = nodes;
  if (!address || tls || kind === 'sentinel') return;
  const socket = connect(address.port, address.host);
  const timeout = setTimeout(() => socket.destroy(), GREETING_MS);
  socket.on('error', () => {});
  // In one write: a second one to a server that hangs up would fail, and cost its last words.
  socket.once('connect', () => socket.write(PING));
  const [greeting] = await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => []);
  clearTimeout(timeout);
  socket.destroy();
  const reason = TURNED_AWAY.find(([pattern]) => pattern.test(String(greeting)))?.[1];
  if (reason !== undefined) throw new Error(`Redis at ${addressText(address)} cannot be used: ${reason}`);
}

/**
 * @param place what messages call the server: never with a password
 * @param clustered whether it has to be a node of a cluster
 * @throws Error where it is older than Redis 7, or not what the URL says
 */
export async function checkServer(
  client: Redis,
  place: string,
  clustered: boolean,
  warn: Warn,
): Promise<void> {
  const info = await client.info('server', 'memory');
  const read = (field: string) => new RegExp(`^${field}:(\\S+)`, 'm').exec(info)?.[1];
  const version = read('redis_version') ?? 'unknown';
  if (!(Number.parseInt(version, 10) >= 7))
    throw new Error(`${place} is version ${version}; Tallycast needs Redis 7 or newer, or Valkey`);
  // Valkey has another word for it.
  const isClustered = (read('redis_mode') ?? read('server_mode')) === 'cluster';
  if (isClustered && !clustered)
    throw new Error(`${place} is part of a cluster: write redis+cluster:// in REDIS_URL`);
  const policy = read('maxmemory_policy');
  if (read('maxmemory') !== '0' && policy !== 'noeviction')
    warn(new Error(`${place} forgets voters when memory is short (${policy}): set noeviction`));
}

/** Warns where ballots shall be held by a replica and none is there: voters would be refused. */
export async function checkReplicas(client: Redis, place: string, warn: Warn): Promise<void> {
  const info = await client.info('replication');
  if (/^connected_slaves:0/m.test(info))
    warn(
      new Error(
        `${place} has no replica, and DURABILITY=replicated: voters are asked to try again until one is there`,
      ),
    );
}

/** @throws Error where the server follows another one, so that what it says may be old and nothing can be written */
export async function checkPrimary(client: Redis, place: string): Promise<void> {
  const primary = await primaryOf(client);
  if (primary !== undefined)
    throw new Error(`${place} is a replica of ${primary}: name the primary in REDIS_URL, or its Sentinels`);
}

/** @throws Error where the database does not exist: ioredis goes on with the first one and says nothing */
export async function checkDatabase(client: Redis, place: string, db: number): Promise<void> {
  try {
    await client.select(db);
  } catch (cause) {
    throw new Error(`${place} has no database ${db} (${(cause as Error).message})`, { cause });
  }
}

/** @returns host:port of the server that this one follows; undefined where it follows none, or may not say */
export async function primaryOf(client: Redis): Promise<string | undefined> {
  const role = (await client.role().catch(refusedByRights)) as unknown[] | undefined;
  return role?.[0] === 'slave' ? `${role[1]}:${role[2]}` : undefined;
}

function refusedByRights(error: Error): undefined {
  if (!error.message.startsWith('NOPERM')) throw error;
}

const HINTS: readonly [RegExp, string][] = [
  [/NOAUTH/, 'it asks for a password: write redis://:password@host:port'],
  [/WRONGPASS|NOPERM/, 'user or password are not right, or the user may not do this'],
  [
    /wrong version number|EPROTO|packet length|SSL routines/i,
    'it answers without TLS: write redis:// for it',
  ],
  [
    /self.signed|unable to (get|verify)/i,
    'its certificate is not trusted: name the authority in REDIS_CA_FILE',
  ],
  [/cluster support disabled/, 'it is no cluster: write redis:// for it'],
  [/No such master/, 'they know no primary of this name'],
  [/unknown command .?sentinel/i, 'it is no Sentinel: write redis:// for it'],
];

/** The reason why a connection failed, in words where the client's own are of no help. */
export function connectionFailure(reason: string, tls: boolean): string {
  const hint = HINTS.find(([pattern]) => pattern.test(reason))?.[1];
  if (hint) return `${hint} (${oneLine(reason)})`;
  if (tls && /ETIMEDOUT|closed|ECONNRESET/.test(reason))
    return `no TLS answer: if it speaks none, write redis:// for it (${oneLine(reason)})`;
  if (!tls && /closed|ECONNRESET/.test(reason))
    return `it hung up at once: if it speaks TLS, write rediss:// for it (${oneLine(reason)})`;
  return oneLine(reason);
}

function oneLine(text: string): string {
  return text.split('\n', 1)[0] as string;
}
