// @module-tag redis-server
import { expect, it } from 'vitest';
import { redisRig } from '../support/redis-rig.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { expectSameBytes } from './stepped-histories.ts';

/** On each engine. */
const PAIRS = 500;

const rig = redisRig();

it.each(['embedded', 'redis'])(
  `${PAIRS} pairs of histories that differ only in what is not revealed send the same bytes: %s`,
  { timeout: 1_800_000 },
  async engine => {
    const redisUrl = engine === 'redis' ? (await rig.start()).url : undefined;
    const sites: LiveSite[] = [];
    for (const redisPrefix of ['one:', 'other:']) {
      const site = await startLiveSite({}, { redisUrl, redisPrefix });
      rig.closeAfter(() => site.close());
      sites.push(site);
    }
    const [one, other] = sites;
    expect(other).toBeDefined();
    const first = engine === 'redis' ? 10_000 : 20_000;
    await expectSameBytes(
      [one!, other!],
      Array.from({ length: PAIRS }, (_, index) => first + index),
    );
  },
);
