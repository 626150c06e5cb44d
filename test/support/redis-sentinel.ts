import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { until } from './until.ts';

/** A primary, a replica, and Sentinels that watch them. */
export interface RedisSentinels {
  /** `redis+sentinel://…/main` */
  readonly url: string;
  readonly servers: readonly [RedisServer, RedisServer];
  readonly sentinels: readonly RedisServer[];
  /** Port of the primary as the Sentinels see it. */
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
}

export async function startRedisSentinels(options: SentinelOptions = {}): Promise<RedisSentinels> {
  const args = [...(options.args ?? []), '--repl-diskless-sync-delay', '0'];
  const primary = await startRedisServer({ args });
  const replica = await startRedisServer({ args: [...args, '--replicaof', `127.0.0.1 ${primary.port}`] });
  await linkUp(replica.port);
  const dir = await mkdtemp(join(tmpdir(), 'tallycast-sentinel-'));
  const sentinels = await Promise.all(
    [1, 2, 3].map(async number => {
      const config = join(dir, `sentinel-${number}.conf`);
      await writeFile(config, configuration(primary.port, options));
      return startRedisServer({ sentinel: config, dir });
    }),
  );
  const password = options.sentinelPassword;
  const client = new Redis({ port: sentinels[0]?.port ?? 0, ...(password ? { password } : {}) });
  client.on('error', () => {});
  // A vote needs Sentinels that know each other, and a replica to promote.
  await until(async () => {
    const masters = JSON.stringify(await client.call('SENTINEL', 'MASTERS'));
    return /"num-other-sentinels"[,:]"2"/.test(masters) && /"num-slaves"[,:]"1"/.test(masters);
  }, 'the Sentinels to know each other');
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
    servers: [primary, replica],
    sentinels,
    async primaryPort() {
      const address = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as [string, string];
      return Number(address[1]);
    },
    async failover() {
      await client.call('SENTINEL', 'FAILOVER', NAME);
    },
    async stop() {
      client.disconnect();
      await Promise.all([...sentinels, primary, replica].map(server => server.stop()));
      await rm(dir, { recursive: true, force: true });
    },
  };
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
