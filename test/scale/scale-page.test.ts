import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { RULES } from './figures.ts';
import { TABLES, withTables } from './scale-page.ts';
import { simulateCrowd } from './simulated-crowd.ts';
import { sizeFor } from './sizing.ts';

const PAGE = new URL('../../src/live/SCALE.md', import.meta.url);

describe('the page on scale', () => {
  it('says what is computed from the figures (npx vitest run --project node test/scale -u)', async () => {
    const page = await readFile(PAGE, 'utf8');
    for (const name of Object.keys(TABLES)) expect(page).toContain(`<!-- ${name} -->`);
    await expect(withTables(page)).toMatchFileSnapshot(PAGE.pathname);
  });

  it('asks of the engine what simulated relays ask of it', async () => {
    const crowd = { viewers: 2_000_000, votersPerMinute: 1_000_000, hz: 5 };
    const { relays, redis } = sizeFor(crowd);
    const report = await simulateCrowd({
      ...{ seed: 4, relays, screensEach: 5, hz: crowd.hz, seconds: 2.3, slow: 0 },
      ...{ ballotsPerSecond: crowd.votersPerMinute / 60, network: { delayMs: [0.2, 3], lost: 0 } },
    });
    expect(report.mostReadsOfAll).toBeLessThanOrEqual(redis.readsPerSecond);
    expect(report.mostReadsOfAll).toBeGreaterThan(0.9 * redis.readsPerSecond);
    expect(report.mostHints).toBe(redis.hintsPerSecond);
  });

  it('plans with no more than it says that a process takes', () => {
    for (const viewers of [1_000, 20_000, 200_000, 10_000_000])
      for (const hz of [1, 10, 20]) {
        const { relays, relayCores, proxies, fullest } = sizeFor({ viewers, hz, votersPerMinute: 100_000 });
        expect(viewers / relays).toBeLessThanOrEqual(RULES.viewersPerRelay.value);
        expect((100 * relayCores) / relays).toBeLessThanOrEqual(RULES.busy.value);
        expect(viewers / proxies / relays).toBeLessThan(RULES.ports.value);
        expect(fullest.percent).toBeLessThanOrEqual(100);
      }
  });
});
