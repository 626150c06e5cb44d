// @module-tag redis-server
import { beforeAll, expect, it } from 'vitest';
import { redisRig } from '../support/redis-rig.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { expectSameBytes } from './stepped-histories.ts';

const PAIRS = 12;

const rig = redisRig('file');
let sites: LiveSite[];
beforeAll(async () => {
  const { url } = await rig.start();
  const open = async (redisPrefix: string) => {
    const site = await startLiveSite({}, { redisUrl: url, redisPrefix });
    rig.closeAfter(() => site.close());
    return site;
  };
  sites = [await open('one:'), await open('other:')];
});

it(`two histories that differ only in what is not revealed send the same bytes on Redis: ${PAIRS} pairs`, async () => {
  const [one, other] = sites;
  expect(other).toBeDefined();
  await expectSameBytes(
    [one!, other!],
    Array.from({ length: PAIRS }, (_, index) => 2_000 + index),
  );
});
