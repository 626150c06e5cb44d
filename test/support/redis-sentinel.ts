import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Certificates } from './certificates.ts';
import { findFreePort } from './free-port.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { until } from './until.ts';

/** A primary, a replica, and Sentinels that watch them. */
export interface RedisSentinels {
  /** `redis+sentinel://…/main`, or `rediss+sentinel://…/main` */
  readonly url: string;
  readonly servers: readonly [RedisServer, RedisServer];
  readonly sentinels: readonly RedisServer[];
  /** Port of the primary as the first Sentinel sees it. */
  primaryPort(): Promise<number>;
  /** Asks for a failover, as an operator does. */
  failover(): Promise<void>;
  stop(): Promise<void>;
}

const NAME = 'main';
const DOWN_AFTER_MS = 1_000;

export interface SentinelOptions {
  /** Settings of the two servers. */
  readonly args?: readonly string[] | undefined;
  /** Password of the Sentinels themselves. */
  readonly sentinelPassword?: string | undefined;
  /** How long a primary may be silent before it counts as lost. */
  readonly downAfterMs?: number | undefined;
  /** All speak TLS with each other and with clients; their own ports are for tests alone. */
  readonly certificates?: Certificates | undefined;
}

/** A server or a Sentinel, and the port at which others find it. */
interface Member {
  readonly server: RedisServer;
  readonly port: number;
}

export async function startRedisSentinels(options: SentinelOptions = {}): Promise<RedisSentinels> {
  const { args = [], certificates } = options;
  const primary = await startMember([...args, '--repl-diskless-sync-delay', '0'], certificates);
  const following = ['--repl-diskless-sync-delay', '0', '--replicaof', `127.0.0.1 ${primary.port}`];
  const replica = await startMember([...args, ...following], certificates);
  const members = [primary, replica] as const;
  await linkUp(replica.server.port);
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(primary.port, options)));
  const password = options.sentinelPassword;
  const client = new Redis({ port: sentinels[0]?.server.port ?? 0, ...(password ? { password } : {}) });
  client.on('error', () => {});
  // A vote needs Sentinels that know each other, and a replica to promote.
  await until(async () => {
    const masters = JSON.stringify(await client.call('SENTINEL', 'MASTERS'));
    return /"num-other-sentinels"[,:]"2"/.test(masters) && /"num-slaves"[,:]"1"/.test(masters);
  }, 'the Sentinels to know each other');
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `${certificates ? 'rediss' : 'redis'}+sentinel://${hosts}/${NAME}`,
    servers: [primary.server, replica.server],
    sentinels: sentinels.map(({ server }) => server),
    async primaryPort() {
      const address = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as [string, string];
      const named = members.find(({ port }) => port === Number(address[1]));
      return named?.server.port ?? Number(address[1]);
    },
    async failover() {
      await client.call('SENTINEL', 'FAILOVER', NAME);
    },
    async stop() {
      client.disconnect();
      await Promise.all([...sentinels, ...members].map(({ server }) => server.stop()));
    },
  };
}

/** A Sentinel that watches the primary at this port, and whatever it learns of there. */
export async function startSentinel(
  primaryPort: number,
  options: SentinelOptions & { readonly port?: number } = {},
): Promise<Member> {
  const dir = await mkdtemp(join(tmpdir(), 'tallycast-sentinel-'));
  const config = join(dir, 'sentinel.conf');
  await writeFile(config, configuration(primaryPort, options));
  const { port, certificates } = options;
  const member = await startMember([], certificates, { sentinel: config, dir, port });
  const { server } = member;
  const end = server.stop;
  const stop = async () => {
    await end();
    await rm(dir, { recursive: true, force: true });
  };
  return { port: member.port, server: Object.assign(server, { stop }) };
}

async function startMember(
  args: readonly string[],
  certificates: Certificates | undefined,
  options: Parameters<typeof startRedisServer>[0] = {},
): Promise<Member> {
  const tlsPort = certificates && (await findFreePort());
  const tls = certificates
    ? ['--tls-port', `${tlsPort}`, '--tls-replication', 'yes', ...certificates.redisArgs]
    : [];
  const server = await startRedisServer({ ...options, args: [...args, ...tls] });
  return { server, port: tlsPort ?? server.port };
}

async function linkUp(port: number): Promise<void> {
  const client = new Redis({ port });
  client.on('error', () => {});
  await until(
    async () => (await client.info('replication')).includes('master_link_status:up'),
    'the replica to follow its primary',
  );
  client.disconnect();
}

function configuration(port: number, options: SentinelOptions): string {
  const { sentinelPassword: password, downAfterMs = DOWN_AFTER_MS } = options;
  return [
    `sentinel monitor ${NAME} 127.0.0.1 ${port} 2`,
    `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
    `sentinel failover-timeout ${NAME} 5000`,
    ...(password ? [`requirepass ${password}`, `sentinel sentinel-pass ${password}`] : []),
    '',
  ].join('\n');
}
