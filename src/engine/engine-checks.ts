import { PollError } from '../poll/poll-error.ts';
import type { Engine, EngineHealth } from './engine.ts';

type Check = () => Promise<string | undefined>;

/**
 * Checks for `/readyz`. Without `needsWrites` a server stays ready while nothing can be written:
 * screens are still served.
 */
export function engineChecks(
  engine: Engine,
  needsWrites: boolean,
): Readonly<Record<'engine' | 'writes' | 'hints', Check>> {
  let pending: Promise<EngineHealth> | undefined;
  // Concurrent requests share one check, because `/readyz` is public.
  const health = () => {
    pending ??= engine.checkHealth().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  return {
    engine: async () => {
      const { reads, fault } = await health();
      return reads === 'all' ? undefined : fault;
    },
    writes: async () => {
      // An engine that does not answer fails the other check.
      const found = await health().catch(() => undefined);
      if (found?.writes === 'none' && needsWrites)
        throw new PollError('engine_unavailable', { message: found.fault ?? 'Nothing can be written.' });
      return found?.writes === 'all' ? undefined : found?.fault;
    },
    hints: async () => void (await engine.hints.checkDelivery()),
  };
}
