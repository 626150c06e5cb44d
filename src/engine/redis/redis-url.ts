export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
}

export interface SingleTarget extends Credentials {
  readonly kind: 'single';
  readonly nodes: readonly [RedisAddress];
  /** A Unix socket, in place of the address. */
  readonly path?: string | undefined;
  readonly db: number;
}

export interface SentinelTarget extends Credentials {
  readonly kind: 'sentinel';
  readonly nodes: readonly RedisAddress[];
  readonly name: string;
  readonly db: number;
}

/** Redis Cluster; `nodes` are some of its members. */
export interface ClusterTarget extends Credentials {
  readonly kind: 'cluster';
  readonly nodes: readonly RedisAddress[];
}

export type RedisTarget = SingleTarget | SentinelTarget | ClusterTarget;

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;
const FORM =
  /^(?<scheme>rediss?(?:\+sentinel|\+cluster)?):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?#]*)(?<path>(?:\/[^?#]*)?)$/i;
/** `unix:///run/redis.sock?db=1`; `redis:///run/redis.sock` as other clients take it. */
const SOCKET =
  /^(?:unix|redis(?:\+unix|\+socket)?):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<path>\/[^?#]*[^\d/?#][^?#]*)(?:\?db=(?<db>[^&#]*))?$/i;
const HOST = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<name>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/i;

/** @throws Error that names the wrong part, and never the password */
export function parseRedisUrl(url: string): RedisTarget {
  const socket = SOCKET.exec(url)?.groups;
  if (socket) return parseSocket(socket);
  const groups = FORM.exec(url)?.groups;
  if (!groups)
    throw new Error(
      'must be like redis://127.0.0.1:6379 or unix:///run/redis.sock, without a query or a fragment',
    );
  const scheme = (groups['scheme'] as string).toLowerCase();
  const [security, kind] = scheme.split('+') as [string, string | undefined];
  const credentials: Credentials = {
    username: decoded(groups['user']),
    password: decoded(groups['password']),
    tls: security === 'rediss',
  };
  const path = (groups['path'] ?? '')
    .split('/')
    .slice(1)
    .map(part => decoded(part) ?? '');
  const nodes = parseHosts(groups['hosts'] ?? '', kind === 'sentinel' ? SENTINEL_PORT : REDIS_PORT);
  if (kind === 'cluster') {
    if (path.some(part => part !== ''))
      throw new Error('a cluster has no databases: nothing may follow its hosts');
    return { kind, nodes, ...credentials };
  }
  if (kind === 'sentinel') {
    const [name = '', db, ...rest] = path;
    if (name === '') throw new Error('needs the name of the primary after the hosts, like /mymaster');
    return { kind, nodes, name, db: parseDatabase(db, rest), ...credentials };
  }
  const [node, ...others] = nodes;
  if (!node || others.length > 0)
    throw new Error('names several hosts: write redis+sentinel:// or redis+cluster:// for those');
  return { kind: 'single', nodes: [node], db: parseDatabase(path[0], path.slice(1)), ...credentials };
}

function parseSocket(groups: Readonly<Record<string, string | undefined>>): SingleTarget {
  return {
    kind: 'single',
    nodes: [{ host: 'localhost', port: REDIS_PORT }],
    path: decoded(groups['path']),
    db: parseDatabase(groups['db'], []),
    username: decoded(groups['user']),
    password: decoded(groups['password']),
    tls: false,
  };
}

/** For messages: never with the password. */
export function describeTarget(target: RedisTarget): string {
  const hosts = target.nodes.map(addressText).join(', ');
  if (target.kind === 'single') return `Redis at ${target.path ?? hosts}`;
  if (target.kind === 'cluster') return `Redis Cluster at ${hosts}`;
  return `Redis "${target.name}" by the Sentinels at ${hosts}`;
}

/** host:port, with an IPv6 address in brackets. */
export function addressText({ host, port }: RedisAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseHosts(text: string, defaultPort: number): RedisAddress[] {
  // `redis:///1` is this machine, as in other clients.
  const parts = text === '' ? ['127.0.0.1'] : text.split(',');
  return parts.map(part => {
    const groups = HOST.exec(part.trim())?.groups;
    const port = Number(groups?.['port'] ?? defaultPort);
    const host = groups?.['six'] ?? groups?.['name'];
    if (host === undefined || port < 1 || port > 65_535) throw new Error(`"${part}" is no host:port`);
    return { host, port };
  });
}

function parseDatabase(text: string | undefined, rest: readonly string[]): number {
  if (text === undefined || text === '') return 0;
  const db = Number(text);
  if (rest.some(part => part !== '') || !/^\d{1,5}$/.test(text) || !Number.isInteger(db))
    throw new Error('the database must be a whole number, like /1');
  return db;
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('user, password and name must be percent-encoded');
  }
}
