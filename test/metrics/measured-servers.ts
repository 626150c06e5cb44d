import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { measuredEngine } from '../../src/engine/measured-engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { engineAvailable } from '../../src/metrics/catalogue.ts';
import { exposition, measureNode, type NodeMetrics, scrape } from '../../src/metrics/exposition.ts';
import { startTestRelay } from '../support/test-relay.ts';
import { startVotingSite } from '../voting/voting-site.ts';

/** Test files share one process. */
let node: NodeMetrics | undefined;

/** Starts a relay and a voting front end in this process, with the metrics of `METRICS_PORT`. */
export async function startMeasuredServers(logger?: FastifyBaseLogger) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-metrics-'));
  const engine = measuredEngine(await openEngine({ dataDir }));
  const removeReader = engineAvailable.read(() => [[{}, 1]]);
  node ??= measureNode();
  const options = { engine, metricsPort: 1, ...(logger && { logger }) };
  const relay = await startTestRelay(options);
  const site = await startVotingSite({ ...options, relayUrl: relay.url });
  return {
    engine,
    relay,
    site,
    scrape: async () => exposition([await scrape(node)]),
    async close() {
      await site.close();
      await relay.close();
      await engine.close();
      removeReader();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
