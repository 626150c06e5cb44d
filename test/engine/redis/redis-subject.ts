import { expect } from 'vitest';
import {
  openRedisEngine,
  type RedisEngine,
  type RedisEngineOptions,
} from '../../../src/engine/redis/redis-engine.ts';
import { PollError } from '../../../src/poll/poll-error.ts';
import { redisRig } from '../../support/redis-rig.ts';

/** More than any call may take to fail: two seconds by contract, and room for a busy machine. */
const FAIL_WITHIN_MS = 4_000;

export function openEngineAt(
  redisUrl: string,
  options: Partial<RedisEngineOptions> = {},
): Promise<RedisEngine> {
  return openRedisEngine({
    redisUrl,
    prefix: 'tallycast:',
    durability: 'fast',
    retentionDays: 365,
    ...options,
  });
}

/** The rig, and engines on its servers. */
export function redisEngineRig(lifetime?: 'test' | 'file') {
  const rig = redisRig(lifetime);
  return {
    ...rig,
    async openAt(url: string, options: Partial<RedisEngineOptions> = {}): Promise<RedisEngine> {
      const engine = await openEngineAt(url, options);
      rig.closeAfter(() => engine.close());
      return engine;
    },
  };
}

/** The call is refused because the engine cannot answer, rather than left hanging. */
export async function expectUnavailable(call: Promise<unknown>): Promise<void> {
  const late = new Promise(resolve => setTimeout(resolve, FAIL_WITHIN_MS, 'no answer at all').unref());
  const answer = await Promise.race([call.catch((error: unknown) => error), late]);
  expect(answer).toBeInstanceOf(PollError);
  expect((answer as PollError).code).toBe('engine_unavailable');
}

/** Collects what an engine says about being there. */
export function availabilityOf(engine: RedisEngine): boolean[] {
  const events: boolean[] = [];
  engine.hints.onAvailability(available => events.push(available));
  return events;
}
