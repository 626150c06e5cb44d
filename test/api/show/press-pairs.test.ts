import { describe, it } from 'vitest';
import { drawer, SEED } from '../../support/seed.ts';
import { PAIRS, pressPairs, SECOND, type Second, startPressing } from './press-pairs.ts';

/** Of 1,014; `press-pairs.slow.test.ts` presses all. */
const SAMPLE = 8;

startPressing();

describe.each(['open', 'closed'] as const)(`some pairs of keys, %s, seed ${SEED}`, status => {
  it.each(Object.keys(SECOND) as Second[])('by %s', by => {
    const draw = drawer(SEED + status.length + by.length);
    return pressPairs(
      status,
      by,
      Array.from({ length: SAMPLE }, () => PAIRS[draw(PAIRS.length)]!),
    );
  });
});
