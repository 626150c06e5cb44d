import cluster from 'node:cluster';
import module from 'node:module';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { measuredEngine } from '../engine/measured-engine.ts';
import { VERSION } from '../http/product.ts';
import { buildInfo, internalErrors, workers as workerCount } from '../metrics/catalogue.ts';
import { exposition, measureNode, type NodeMetrics, scrape } from '../metrics/exposition.ts';
import { isEngineUnavailable } from '../poll/poll-error.ts';
import type { Chat } from './chat.ts';
import { type Config, InvalidSettings, openConfiguredEngine, readConfig, settingsOf } from './config.ts';
import {
  endProcess,
  faultLog,
  logConsole,
  logRejections,
  openLog,
  warnOfWriteFault,
  watchAvailability,
} from './log.ts';
import { findLanAddresses, watchLan, withLan } from './network.ts';
import { logStartWarnings, requireFiles, requireOpenFiles } from './preflight.ts';
import type { Services } from './services.ts';
import { followSupervisor, Workers } from './workers.ts';

/** Below Docker's 10 s. A stop takes 2 s if a client does not answer a close. */
const STOP_MS = 8_000;
/** Longer than `KILL_AFTER_MS` of workers. */
const SUPERVISOR_STOP_MS = 9_500;
/** Ctrl-C may arrive twice: from the terminal and from a parent process. */
const SAME_SIGNAL_MS = 2_000;

// Keeps compiled code of the servers for the next start. Node 20 has no such cache.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

try {
  requireOpenFiles();
  const lan = isForNetwork() ? await findLanAddresses() : undefined;
  const config = lan ? withLan(readConfig(), lan[0]) : readConfig();
  const logger = openLog(config);
  logConsole(logger);
  if (cluster.isPrimary) {
    requireFiles(config);
    logStartWarnings(config, logger);
  }
  if (cluster.isPrimary && config.WORKERS > 1) await supervise(config, logger, lan);
  else await serve(config, logger, lan);
} catch (error) {
  const { message, exitCode = 1 } = error as Error & { exitCode?: number };
  // Exits even if a worker still has its channel to the supervisor.
  process.stderr.write(`${message ?? error}\n`, () => process.exit(exitCode));
}

/** @throws InvalidSettings for an option that the program does not have */
function isForNetwork(): boolean {
  const options = process.argv.slice(2).filter(argument => argument.startsWith('-'));
  // `--json` is an option of the command line, which may start the server.
  const unknown = options.find(option => option !== '--lan' && option !== '--json');
  if (unknown !== undefined)
    throw new InvalidSettings(
      `unknown option ${unknown}: there is --lan, and settings are environment variables`,
    );
  return options.includes('--lan');
}

/** @param lan with `--lan`: addresses of this machine in its network */
async function serve(given: Config, logger: FastifyBaseLogger, lan?: string[]): Promise<void> {
  const { buildServers, listenAll, serveMetrics, withFreePorts } = await import('./servers.ts');
  const { openServices } = await import('./services.ts');
  const { openChat } = await import('./chat.ts');
  let config = await withFreePorts(given);
  const isMeasured = config.METRICS_PORT !== undefined;
  const opened = await openConfiguredEngine(config, faultLog(logger));
  const engine = isMeasured ? measuredEngine(opened) : opened;
  const watches = [watchAvailability(engine, logger), logRejections(logger), ...describeProcess(config)];
  let servers: FastifyInstance[] = [];
  let services: Services | undefined;
  let chat: Chat | undefined;
  let metrics: FastifyInstance | undefined;
  let node: NodeMetrics | undefined;
  let moved = Promise.resolve();
  let endWatch: (() => void) | undefined;
  const open = async () => {
    services = await openServices({ ...settingsOf(config), engine, logger });
    chat = await openChat(config, services, logger);
    servers = await buildServers(config, services, logger, chat);
    await listenAll(servers, config);
  };
  const close = async () => {
    await Promise.all(servers.map(server => server.close()));
    await chat?.close();
    services?.close();
  };
  const stop = async () => {
    endWatch?.();
    // Its failure has already stopped the process.
    await moved.catch(() => {});
    await close();
    await metrics?.close();
    await engine.close();
    for (const end of watches) end();
  };
  try {
    await open();
    node = isMeasured ? measureNode() : undefined;
    if (isMeasured && cluster.isPrimary)
      metrics = await serveMetrics(config, logger, async () => exposition([await scrape(node)]));
  } catch (error) {
    // The reason is one line on stderr.
    logger.level = 'silent';
    await stop();
    throw error;
  }
  void warnOfWriteFault(engine, logger);
  // Their links hold the address. The engine keeps all data, and screens reconnect by themselves.
  const moveTo = async (address: string) => {
    logger.warn({ address, before: config.LAN_ADDRESS }, 'network address changed, restarting servers');
    config = { ...config, LAN_ADDRESS: address };
    await close();
    await open();
    if (cluster.isPrimary) await announce(config, logger, [address]);
  };
  if (lan)
    endWatch = watchLan(lan[0], address => {
      moved = moved.then(() => moveTo(address));
    });
  const requestStop = stopOnSignal(logger, stop, STOP_MS);
  if (cluster.isWorker) followSupervisor(() => requestStop('supervisor'), node);
  else await announce(config, logger, lan);
}

async function supervise(config: Config, logger: FastifyBaseLogger, lan?: string[]): Promise<void> {
  const workers = new Workers(logger);
  stopOnSignal(logger, () => workers.stop(), SUPERVISOR_STOP_MS);
  if (!(await workers.start(config.WORKERS))) return;
  if (config.METRICS_PORT !== undefined) {
    const { serveMetrics } = await import('./servers.ts');
    await serveMetrics(config, logger, () => workers.scrape());
  }
  await announce(config, logger, lan);
}

/**
 * Stops on a signal with exit code 0, after an uncaught error with 1. A second signal kills the
 * process, and so does a stop that takes too long. SIGSEGV and the like have no listener, because
 * Node would repeat the faulty instruction forever.
 *
 * @returns stops as a signal does
 */
function stopOnSignal(
  logger: FastifyBaseLogger,
  stop: () => Promise<void>,
  withinMs: number,
): (signal: string) => void {
  let beganMs: number | undefined;
  let exitCode = 0;
  const stopOnce = async () => {
    if (beganMs !== undefined) return;
    beganMs = performance.now();
    setTimeout(() => {
      logger.error({ durationMs: withinMs }, 'shutdown timed out');
      endProcess(undefined);
    }, withinMs);
    try {
      await stop();
      logger.info({ durationMs: Math.round(performance.now() - beganMs) }, 'shut down');
    } catch (err) {
      logger.error({ err }, 'shutdown failed');
      // An exit would wait for the disk.
      if (isEngineUnavailable(err)) return endProcess(undefined);
      exitCode = 1;
    }
    endProcess(exitCode);
  };
  const onSignal = (signal: string) => {
    if (beganMs === undefined) logger.info({ signal }, 'shutting down');
    else if (performance.now() - beganMs > SAME_SIGNAL_MS) endProcess(undefined);
    void stopOnce();
  };
  const onFault = (err: unknown) => {
    exitCode = 1;
    internalErrors.of({ place: 'process' }).value += 1;
    logger.fatal({ err }, 'uncaught error, shutting down');
    void stopOnce();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, onSignal);
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  return onSignal;
}

function describeProcess({ ROLE: role, REDIS_URL }: Config): (() => void)[] {
  const engine = REDIS_URL === undefined ? 'embedded' : 'redis';
  return [buildInfo.read(() => [[{ version: VERSION, role, engine }, 1]]), workerCount.read(() => [[{}, 1]])];
}

async function announce(config: Config, logger: FastifyBaseLogger, lan?: string[]): Promise<void> {
  if (process.stdout.isTTY) {
    const { welcome } = await import('./welcome.ts');
    process.stdout.write(welcome(config, lan));
  } else {
    const { relayUrl: relay, voteUrl: vote, redisUrl, workers } = settingsOf(config);
    const engine = redisUrl === undefined ? 'embedded' : 'redis';
    logger.info({ relay, vote, engine, workers, node: process.version }, 'server listening');
  }
}
