import type { FastifyBaseLogger } from 'fastify';
import { internalErrors } from '../metrics/catalogue.ts';
import { endProcess } from './log.ts';
import type { RunningServers } from './start-servers.ts';

/** Closing takes two seconds where a client does not answer. A process that hangs ends before Docker's ten seconds are over. */
const CLOSE_MS = 8_000;

/**
 * A terminal sends Ctrl-C to every process of its group, and the parent process passes it on: one wish arrives twice. A signal
 * after that ends the process at once.
 */
const SAME_WISH_MS = 2_000;

/** What a supervisor sends to a worker: a message is neither lost nor doubled, as a signal to a group is. */
export const LEAVE = 'leave';

/**
 * Shuts down on a signal or at the request of the supervisor, with exit code 0. After an uncaught error it closes the servers as
 * well, with exit code 1. Signals of native faults have no listener: Node would repeat the faulty instruction for ever.
 */
export function leaveGracefully(servers: RunningServers, logger: FastifyBaseLogger): void {
  let beganMs: number | undefined;
  let exitCode = 0;
  const close = async () => {
    beganMs = performance.now();
    setTimeout(() => {
      logger.error({ durationMs: CLOSE_MS }, 'shutdown timed out');
      endProcess(1);
    }, CLOSE_MS);
    try {
      await servers.close();
      logger.info({ durationMs: Math.round(performance.now() - beganMs) }, 'shut down');
    } catch (err) {
      logger.error({ err }, 'shutdown failed');
      exitCode = 1;
    }
    endProcess(exitCode);
  };
  const leave = (signal: string) => {
    if (beganMs === undefined) {
      logger.info({ signal }, 'shutting down');
      void close();
    } else if (performance.now() - beganMs > SAME_WISH_MS) {
      process.exit(1);
    }
  };
  const fail = (err: unknown) => {
    exitCode = 1;
    internalErrors.of({ place: 'process' }).value += 1;
    logger.fatal({ err }, 'uncaught error, shutting down');
    if (beganMs === undefined) void close();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, leave);
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  process.on('message', message => message === LEAVE && leave('supervisor'));
}
