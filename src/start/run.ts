import cluster from 'node:cluster';
import type { FastifyBaseLogger } from 'fastify';
import { type Config, mistypedSettings } from './config.ts';
import type { EarlyServers } from './early-servers.ts';
import { logConsole } from './engine-log.ts';
import { leaveGracefully } from './leave-gracefully.ts';
import { openLog } from './log.ts';
import { openFilesWarning } from './open-files.ts';
import { requireFiles } from './preflight.ts';
import { openCreationWarning, publicUrls, welcome } from './public-urls.ts';
import { type RunningServers, startServers } from './start-servers.ts';
import { placeOf, READY, superviseWorkers } from './workers.ts';

/** Starts what the settings ask for, in this process or in workers of it, and sees it to its end. */
export async function run(config: Config, early: EarlyServers): Promise<void> {
  const logger = openLog(config);
  logConsole(logger);
  if (!cluster.isPrimary) {
    if (config.METRICS_PORT !== undefined) await answerSupervisor();
    leaveGracefully(await startServers(config, logger), logger);
    process.send?.(READY);
    return;
  }

  requireFiles(config);
  for (const warning of warnings(config)) logger.warn(warning);
  if (config.WORKERS > 1) {
    if (!(await superviseWorkers(config.WORKERS, logger))) return;
    if (config.METRICS_PORT !== undefined) await tellOfWorkers(config, logger);
  } else leaveGracefully(await startAll(config, logger, early), logger);
  greet(config, logger);
}

/** In this process, with its metrics where they are asked for. */
async function startAll(
  config: Config,
  logger: FastifyBaseLogger,
  early: EarlyServers,
): Promise<RunningServers> {
  const servers = await startServers(config, logger, early);
  if (config.METRICS_PORT === undefined) return servers;
  try {
    const metrics = await tellOfProcess(config, logger);
    return { close: () => servers.close().finally(() => metrics.close()) };
  } catch (error) {
    await servers.close();
    throw error;
  }
}

async function tellOfProcess(config: Config, logger: FastifyBaseLogger): Promise<RunningServers> {
  const { exposition, measureNode, scrape } = await import('../metrics/exposition.ts');
  const { serveMetrics } = await import('./metrics-server.ts');
  measureNode();
  return serveMetrics(config, logger, async () => exposition([await scrape()]));
}

/** A supervisor ends with its last worker, whoever is scraping. */
async function tellOfWorkers(config: Config, logger: FastifyBaseLogger): Promise<void> {
  const { scrapeWorkers } = await import('./worker-metrics.ts');
  const { serveMetrics } = await import('./metrics-server.ts');
  await serveMetrics(config, logger, () => scrapeWorkers(placeOf));
}

async function answerSupervisor(): Promise<void> {
  const { measureNode } = await import('../metrics/exposition.ts');
  const { answerScrapes } = await import('./worker-metrics.ts');
  measureNode();
  answerScrapes();
}

/** A person is told in words; who reads lines of JSON finds one among them. */
function greet(config: Config, logger: FastifyBaseLogger): void {
  if (process.stdout.isTTY) process.stdout.write(welcome(config));
  else {
    const { WORKERS: workers } = config;
    const engine = config.REDIS_URL === undefined ? 'embedded' : 'redis';
    logger.info({ ...publicUrls(config), engine, workers, node: process.version }, 'server listening');
  }
}

/** What is no fault and yet hardly meant. */
function warnings(config: Config): string[] {
  const mistyped = mistypedSettings().map(
    ({ given, meant }) => `${given} is no setting of this program: did you mean ${meant}?`,
  );
  return [...mistyped, openCreationWarning(config), openFilesWarning()].filter(
    warning => warning !== undefined,
  );
}
