import { PollError } from '../poll/poll-error.ts';
import type { Engine, EngineHealth } from './engine.ts';

/**
 * The checks of a server that works with an engine, for its `/readyz`. An engine that takes no writes is still one that
 * screens are served from: with every relay out of service nobody would see anything, and nothing would be gained.
 *
 * @param needsWrites whether the server is of no use where nothing can be written, as one that takes ballots
 */
export function engineChecks(
  engine: Engine,
  needsWrites: boolean,
): Readonly<Record<'engine' | 'writes' | 'hints', () => Promise<string | undefined>>> {
  let asked: Promise<EngineHealth> | undefined;
  // All who ask at the same time share one answer, for anybody may ask.
  const health = () => {
    asked ??= engine.checkHealth().finally(() => {
      asked = undefined;
    });
    return asked;
  };
  return {
    engine: async () => {
      const { reads, fault } = await health();
      return reads === 'all' ? undefined : fault;
    },
    writes: async () => {
      // What does not answer at all is the other check's.
      const found = await health().catch(() => undefined);
      if (found?.writes === 'none' && needsWrites)
        throw new PollError('engine_unavailable', { message: found.fault ?? 'Nothing can be written.' });
      return found?.writes === 'all' ? undefined : found?.fault;
    },
    hints: async () => void (await engine.hints.checkHearing()),
  };
}
