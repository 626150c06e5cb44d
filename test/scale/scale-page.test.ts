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
    for (const viewers of [1_000, 20_000, 100_000, 1_000_000, 10_000_000])
      for (const hz of [1, 10, 20]) {
        const sizing = sizeFor({ viewers, hz, votersPerMinute: 100_000 });
        const { relays, relayCores, proxies, proxyCores, handshakeCores, fullest } = sizing;
        expect(viewers / relays).toBeLessThanOrEqual(RULES.viewersPerRelay.value);
        expect((100 * relayCores) / relays).toBeLessThanOrEqual(RULES.busy.value);
        // All viewers at once, beside the frames.
        expect(proxyCores + handshakeCores).toBeLessThanOrEqual(proxies);
        expect(viewers / proxies / relays).toBeLessThan(RULES.ports.value);
        expect(fullest.percent).toBeLessThanOrEqual(100);
      }
  });

  it('has a spare host, and counts voters’ pages in line and egress', () => {
    const crowd = { viewers: 1_000_000, hz: 1, votersPerMinute: 200_000 };
    const sizing = sizeFor(crowd);
    const { cores, gb, gbits } = {
      cores: sizing.relayCores + sizing.proxyCores + sizing.frontEndCores + sizing.redis.cores,
      gb: sizing.relayGb + sizing.proxyGb + sizing.redis.gbAnHour,
      gbits: sizing.gbits,
    };
    const left = sizing.hosts - RULES.spareHosts.value;
    const share = RULES.busy.value / 100;
    expect(left * RULES.hostCores.value * share).toBeGreaterThanOrEqual(cores);
    expect(left * RULES.hostGb.value * share).toBeGreaterThanOrEqual(gb);
    expect(left * RULES.hostGbits.value * share).toBeGreaterThanOrEqual(gbits);
    expect(gbits - sizeFor({ ...crowd, votersPerMinute: 0 }).gbits).toBeCloseTo(sizing.voterGbits);
    expect(sizing.egressTb).toBeCloseTo((gbits * 7_200) / 8_000);
  });
});
