import { describe, it } from 'vitest';
import { PAIRS, pressPairs, SECOND, type Second, startPressing } from './press-pairs.ts';

startPressing();

describe.each(['open', 'closed'] as const)('every pair of keys, %s', status => {
  it.each(Object.keys(SECOND) as Second[])('by %s', { timeout: 300_000 }, by =>
    pressPairs(status, by, PAIRS),
  );
});
