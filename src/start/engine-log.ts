import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import { engineAvailable, engineLosses } from '../metrics/catalogue.ts';

/** One and the same fault, as each new try gives it, is said so often. */
const EVERY_MS = 60_000;
/** Texts that are remembered: what differs each time is said each time. */
const MOST = 100;

/** What is stored for a moment, to find out whether something can be. */
const TRIAL = 'start';
const TRIAL_MS = 1_000;

/** @returns why nothing can be written, in one line; undefined where something can */
export async function writeFault(engine: Engine): Promise<string | undefined> {
  const refused = await engine.records.put(TRIAL, '', TRIAL_MS).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  return refused && ((await engine.checkHealth().catch(() => undefined))?.fault ?? refused);
}

/** A server that can only read starts, for its screens: whoever runs it should know. */
export async function warnOfWriteFault(engine: Engine, logger: FastifyBaseLogger): Promise<void> {
  const fault = await writeFault(engine);
  if (fault !== undefined) logger.error(`engine: nothing can be written, so nobody can vote. ${fault}`);
}

/** Faults that an engine tells of, a line each: what it says again and again is said once in a minute. */
export function faultLog(logger: FastifyBaseLogger): (fault: Error) => void {
  const saidAtMs = new Map<string, number>();
  return ({ message }) => {
    const nowMs = performance.now();
    const before = saidAtMs.get(message);
    if (before !== undefined && nowMs - before < EVERY_MS) return;
    if (saidAtMs.size >= MOST) saidAtMs.clear();
    saidAtMs.set(message, nowMs);
    logger.warn(`engine: ${message}`);
  };
}

/** A line where the engine is lost, and one where it is back. */
export function watchAvailability({ hints }: Engine, logger: FastifyBaseLogger): () => void {
  let lostAtMs: number | undefined;
  hints.onAvailability(available => {
    if (available) {
      const lostForMs = Math.round(performance.now() - (lostAtMs ?? performance.now()));
      if (lostAtMs !== undefined) logger.info({ lostForMs }, 'the engine is back');
      lostAtMs = undefined;
    } else if (lostAtMs === undefined) {
      lostAtMs = performance.now();
      engineLosses.value += 1;
      logger.error('the engine is lost: screens show what they have, and nobody can vote');
    }
  });
  return engineAvailable.read(() => [[{}, lostAtMs === undefined ? 1 : 0]]);
}
