import { startRedisCluster } from '../support/redis-cluster.ts';
import type { RedisRig } from '../support/redis-rig.ts';
import { startRedisSentinels } from '../support/redis-sentinel.ts';
import { type FailingLinks, linksTo, linksToCluster, linksToSentinels } from './failing-links.ts';

/** A busy machine must not have the Sentinels replace a primary that only its links fail. */
const NO_FAILOVER_MS = 60_000;

/** A Redis in each form of `REDIS_URL`, and behind links that fail on command. Each but the first has replicas. */
export const FORMS = {
  'one server': async (rig: RedisRig) => {
    const server = await rig.start();
    return { url: server.url, links: await keep(rig, linksTo(server)) };
  },
  Sentinels: async (rig: RedisRig) => {
    const sentinels = await startRedisSentinels({ downAfterMs: NO_FAILOVER_MS });
    rig.closeAfter(() => sentinels.stop());
    return { url: sentinels.url, links: await keep(rig, linksToSentinels(sentinels)) };
  },
  'a cluster': async (rig: RedisRig) => {
    const cluster = await startRedisCluster({ primaries: 3, replicas: 3 });
    rig.closeAfter(() => cluster.stop());
    return { url: cluster.url, links: await keep(rig, linksToCluster(cluster)) };
  },
} satisfies Record<string, (rig: RedisRig) => Promise<RedisForm>>;

export type FormName = keyof typeof FORMS;

export interface RedisForm {
  /** Straight to the servers. */
  readonly url: string;
  readonly links: FailingLinks;
}

async function keep(rig: RedisRig, opening: Promise<FailingLinks>): Promise<FailingLinks> {
  const links = await opening;
  rig.closeAfter(() => links.close());
  return links;
}
