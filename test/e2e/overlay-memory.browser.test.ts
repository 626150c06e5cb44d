import type { CDPSession } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { drawingStyles } from '../../src/overlay/look/styles.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';
import { browserRig } from './browser-rig.ts';
import { StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';

/** Two minutes at ten updates a second, in two halves: growth in the second is a leak. */
const UPDATES = 1200;
/** Compiled code and caches settle; a leak of one small object an update would be more than this. */
const ALLOWED_GROWTH_BYTES = 150_000;
/** Nodes that are just being added or removed. */
const ALLOWED_NODES = 20;

const rig = browserRig(browser => StagePages.bundle(browser));

describe('a running overlay', () => {
  it.each(drawingStyles)('does not grow in memory, elements or listeners in %s', async style => {
    const page = await rig.site.open(1280, 720);
    const devtools = await page.context().newCDPSession(page);
    const run = () =>
      page.evaluate(
        async ([query, updates, poll]) => {
          const { show } = globalThis as unknown as StageWindow;
          for (let version = 1; version <= updates; version++) {
            const lucky = poll.poll_answers[(version * 37) % poll.poll_answers.length]!;
            const added = 1 + (version % 50);
            Object.assign(lucky, { votes: lucky.votes + added });
            const total = poll.total_votes + added;
            Object.assign(poll, { version, total_votes: total, total_voters: total });
            show(query, { poll: structuredClone(poll), away: version % 100 === 0 });
            if (version % 25 === 0) await new Promise(requestAnimationFrame);
          }
        },
        [
          `style=${style}&patterns=1`,
          UPDATES,
          knownResults(Array.from({ length: 100 }, (_, at) => at)),
        ] as const,
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
