import { describe, expect, it } from 'vitest';
import { type CrowdPlan, simulateCrowd } from './simulated-crowd.ts';

/**
 * Ten million screens are 500 relays with 20,000 each. A relay asks the engine for the poll and not for its screens, so what
 * the engine bears is measured with 500 relays and few screens, at two sizes that must not differ, and what a relay bears
 * with 20,000. `npm run bench -- --only simulated` opens all ten million.
 */
const MILLION_A_MINUTE = 1_000_000 / 60;
const HINTS_PER_SECOND = 40;
const FIVE_HUNDRED: CrowdPlan = {
  seed: 1,
  relays: 500,
  screensEach: 10,
  hz: 10,
  ballotsPerSecond: MILLION_A_MINUTE,
  seconds: 2.3,
  network: { delayMs: [0.2, 3], lost: 0 },
  slow: 0,
};

describe('a crowd of ten million on one poll', () => {
  it('costs the engine what its relays cost, however many screens they serve', async () => {
    const few = await simulateCrowd(FIVE_HUNDRED);
    const more = await simulateCrowd({ ...FIVE_HUNDRED, screensEach: 60 });
    for (const report of [few, more]) {
      expect(report.mostReads).toBeLessThanOrEqual(FIVE_HUNDRED.hz);
      expect(report.mostReadsOfAll).toBeLessThanOrEqual(FIVE_HUNDRED.relays * FIVE_HUNDRED.hz);
      expect(report.mostHints).toBeLessThanOrEqual(FIVE_HUNDRED.relays * HINTS_PER_SECOND);
      // By a look of their own after the last hint, and not by the sweep.
      expect(report.allExactAfterMs).toBeLessThanOrEqual(300);
    }
    expect(more.screens).toBe(6 * few.screens);
    // How often a relay reads does not depend on its screens; when, within a few milliseconds, is chance.
    expect(more.mostReadsOfAll / few.mostReadsOfAll).toBeCloseTo(1, 1);
    expect(few.mostReadsOfAll).toBeGreaterThan(0.8 * FIVE_HUNDRED.relays * FIVE_HUNDRED.hz);
  });

  it('is shown by one relay to 20,000, each in its turn, for as many reads', async () => {
    const plan = { ...FIVE_HUNDRED, relays: 2, screensEach: 20_000, hz: 1 };
    const report = await simulateCrowd(plan);
    expect(report.mostReads).toBeLessThanOrEqual(1);
    expect(report.screens).toBe(40_000);
    expect(report.allExactAfterMs).toBeLessThanOrEqual(1_100);
  });

  it.each([1, 20])('is read at most %i times a second where that is asked for', async hz => {
    const report = await simulateCrowd({ ...FIVE_HUNDRED, relays: 100, hz });
    expect(report.mostReads).toBeLessThanOrEqual(hz);
    expect(report.allExactAfterMs).toBeLessThanOrEqual(1_100);
  });

  it.each([
    { lost: 0.3, slow: 0.1 },
    { lost: 0.9, slow: 0 },
    { lost: 1, slow: 0.02 },
  ])(
    'is exact within five seconds with $lost of the hints lost and $slow of the screens slow',
    async ({ lost, slow }) => {
      for (const seed of [1, 2, 3]) {
        const network = { ...FIVE_HUNDRED.network, lost };
        const report = await simulateCrowd({
          ...FIVE_HUNDRED,
          seed,
          relays: 50,
          screensEach: 20,
          network,
          slow,
        });
        expect(report.exactAfterMs).toBeLessThanOrEqual(5_000);
        expect(report.allExactAfterMs).toBeLessThanOrEqual(5_000);
      }
    },
  );

  it('goes the same way with the same seed', async () => {
    const plan = { ...FIVE_HUNDRED, relays: 20, network: { ...FIVE_HUNDRED.network, lost: 0.5 }, slow: 0.2 };
    expect(await simulateCrowd(plan)).toEqual(await simulateCrowd(plan));
    expect(await simulateCrowd(plan)).not.toEqual(await simulateCrowd({ ...plan, seed: 2 }));
  });
});
