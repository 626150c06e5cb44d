import { format } from 'node:util';
import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import { causeOf, oncePer } from '../http/fault-log.ts';
import { engineAvailable, engineLosses } from '../metrics/catalogue.ts';

/** One and the same fault, as each new try gives it, is logged so often. */
const EVERY_MS = 60_000;

/** What is stored for a moment, to find out whether something can be. */
const TRIAL = 'start';
const TRIAL_MS = 1_000;

export interface WriteFault {
  /** In constant words. */
  readonly fault: string;
  readonly cause: string;
}

/** @returns why nothing can be written; undefined where something can */
export async function writeFault(engine: Engine): Promise<WriteFault | undefined> {
  try {
    await engine.records.put(TRIAL, '', TRIAL_MS);
    return undefined;
  } catch (error) {
    const health = await engine.checkHealth().catch(() => undefined);
    return { fault: health?.fault ?? (error as Error).message, cause: causeOf(error) };
  }
}

/** A server that can only read starts, for its screens: its operator should know. */
export async function warnOfWriteFault(engine: Engine, logger: FastifyBaseLogger): Promise<void> {
  const found = await writeFault(engine);
  if (found) logger.error(found, 'engine: nothing can be written, so nobody can vote');
}

/** Logs faults that an engine reports, each at most once a minute. */
export function faultLog(logger: FastifyBaseLogger): (fault: Error) => void {
  const isDue = oncePer(EVERY_MS);
  return error => {
    const { message } = error;
    const cause = causeOf(error);
    if (isDue(`${message} ${cause}`)) logger.warn(cause === message ? {} : { cause }, `engine: ${message}`);
  };
}

/** Makes a line of the log of what a package prints, as LMDB does with the stack of each failed commit. */
export function logConsole(logger: FastifyBaseLogger): void {
  const isDue = oncePer(EVERY_MS);
  const print = (...printed: unknown[]) => {
    const [first] = printed;
    const cause = first instanceof Error ? causeOf(first) : format(...printed);
    if (isDue(cause)) logger.warn({ cause }, 'a package reported a fault');
  };
  console.error = print;
  console.warn = print;
}

/** A line where the engine is lost, and one where it is back. */
export function watchAvailability({ hints }: Engine, logger: FastifyBaseLogger): () => void {
  let lostAtMs: number | undefined;
  hints.onAvailability(available => {
    if (available) {
      const lostForMs = Math.round(performance.now() - (lostAtMs ?? performance.now()));
      if (lostAtMs !== undefined) logger.info({ lostForMs }, 'engine available');
      lostAtMs = undefined;
    } else if (lostAtMs === undefined) {
      lostAtMs = performance.now();
      engineLosses.value += 1;
      logger.error('engine unavailable');
    }
  });
  return engineAvailable.read(() => [[{}, lostAtMs === undefined ? 1 : 0]]);
}
