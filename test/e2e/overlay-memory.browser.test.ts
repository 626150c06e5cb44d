import type { CDPSession } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { drawingStyles } from '../../src/overlay/look/styles.ts';
import { browserRig } from './browser-rig.ts';
import { StagePages } from './stage-page.ts';

/** Two minutes at ten updates a second, in two halves: what grows in the second grows for ever. */
const UPDATES = 1200;
/** Compiled code and caches settle; a leak of one small object an update would be more than this. */
const ALLOWED_GROWTH_BYTES = 150_000;
/** What is just coming or going when the count is taken. */
const ALLOWED_NODES = 20;

const rig = browserRig(browser => StagePages.bundle(browser));

describe('a running overlay', () => {
  it.each(drawingStyles)('keeps its memory, its elements and its listeners in %s', async style => {
    const page = await rig.site.open(1280, 720);
    const devtools = await page.context().newCDPSession(page);
    const run = () =>
      page.evaluate(
        async ([query, updates]) => {
          const { show } = globalThis as unknown as { show(query: string, scene: unknown): void };
          const answers = Array.from({ length: 100 }, (_, at) => ({
            id: `a${at}`,
            answer: `Answer ${at}`,
            sorting: at + 1,
            type: 'text',
            votes: at,
          }));
          for (let version = 1; version <= updates; version++) {
            const lucky = answers[(version * 37) % answers.length];
            if (lucky) lucky.votes += 1 + (version % 50);
            const total = answers.reduce((sum, answer) => sum + answer.votes, 0);
            const results = {
              id: 'p1',
              title: 'A question',
              poll_answers: answers,
              total_votes: total,
              success: 1,
              timestamp: 1_800_000_000,
              version,
              total_voters: total,
              status: 'open',
              deadline: null,
              results_visibility: 'always',
            };
            show(query, { poll: results, away: version % 100 === 0 });
            if (version % 25 === 0) await new Promise(requestAnimationFrame);
          }
        },
        [`style=${style}&patterns=1`, UPDATES] as const,
      );
    await run();
    const before = await measure(devtools);
    await run();
    const after = await measure(devtools);
    expect(after.nodes).toBeLessThan(before.nodes + ALLOWED_NODES);
    expect(after.listeners).toBe(before.listeners);
    expect(after.heapBytes - before.heapBytes).toBeLessThan(ALLOWED_GROWTH_BYTES);
  });
});

async function measure(devtools: CDPSession) {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await devtools.send('Memory.getDOMCounters');
  return { heapBytes: usedSize, nodes, listeners: jsEventListeners };
}
