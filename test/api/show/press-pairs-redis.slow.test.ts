// @module-tag redis-server
import { describe, it } from 'vitest';
import { size } from '../../fault/plan.ts';
import { redisRig } from '../../support/redis-rig.ts';
import { PAIRS, pressPairs, SECOND, type Second, startPressing, THIRD_OF_PAIRS } from './press-pairs.ts';

const { start } = redisRig('file');
startPressing(async () => (await start()).url);

describe.each(['open', 'closed'] as const)('every pair of keys on Redis, %s', status => {
  it.each(Object.keys(SECOND) as Second[])('by %s', { timeout: 600_000 }, by =>
    pressPairs(status, by, size(THIRD_OF_PAIRS, PAIRS)),
  );
});
