import closeWithGrace from 'close-with-grace';
import type { FastifyBaseLogger } from 'fastify';
import type { RunningServers } from './start-servers.ts';

/** A farewell takes two seconds where somebody does not answer. Who hangs ends before Docker's ten seconds are over. */
const FAREWELL_MS = 8_000;

/**
 * A terminal sends Ctrl-C to every process of its group, and who started this one passes it on: the same wish twice. Only
 * later it is impatience.
 */
const SAME_WISH_MS = 2_000;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * A fault of native code. With a listener Node would go back to the very instruction that failed, for ever and at full speed:
 * such a process ends at once, and whoever supervises it starts another.
 */
const FAULTS = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGABRT'] as const;

/** What a supervisor sends to a worker: a message is neither lost nor doubled, as a signal to a group is. */
export const LEAVE = 'leave';

/**
 * Ends the process when it is asked to, by a signal, or by its supervisor: exit code 0. After an error that
 * nobody caught it says farewell as well, and ends with 1.
 */
export function leaveGracefully(servers: RunningServers, logger: FastifyBaseLogger): void {
  const grace = closeWithGrace(
    { delay: FAREWELL_MS, logger, skip: [...SIGNALS, ...FAULTS] },
    async ({ err, signal, manual }: { err?: unknown; signal?: string; manual?: boolean }) => {
      const isAsked = manual === true || signal !== undefined;
      const beganMs = performance.now();
      if (isAsked) logger.info({ signal: askedBy }, 'leaving: asked to');
      else logger.fatal({ err }, 'ending after an error that nobody caught');
      await servers.close();
      logger.info({ tookMs: Math.round(performance.now() - beganMs) }, 'left');
      // Of a rejection without a reason `err` says nothing.
      if (!isAsked) process.exit(1);
    },
  );
  let askedAtMs: number | undefined;
  let askedBy: string | undefined;
  const leave = (by: string) => {
    if (askedAtMs === undefined) {
      askedAtMs = performance.now();
      askedBy = by;
      void grace.close();
    } else if (performance.now() - askedAtMs > SAME_WISH_MS) {
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, leave);
  process.on('message', message => message === LEAVE && leave('supervisor'));
}
