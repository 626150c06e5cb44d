import { expect, it } from 'vitest';
import { tryLean } from '../../src/live/lean-trial.ts';

it('finds every private part of this Node and of ws as it is known', async () => {
  expect(await tryLean(() => {})).toEqual({ isLean: true, faults: [] });
});
