import type { CrowdPlan } from '../../scale/simulated-crowd.ts';
import { OURS } from '../contender/contenders.ts';
import type { SimulationCalls } from '../load/simulation.process.ts';
import { end, startWorker } from '../system/children.ts';
import { type Bench, grouped, row } from './bench.ts';

const RELAYS = 500;
const SCREENS_EACH = 20_000;
const HZ = 1;
const HINTS_PER_SECOND = 40;
/** Relays do not meet but at the engine, which answers what it is asked: so some of them are simulated at a time. */
const AT_A_TIME = 10;

export const simulated: Bench = {
  name: 'simulated',
  title:
    'Simulated: real hubs, simulated engine, network, screens and clock; a million ballots a minute on one poll',
  control: undefined,
  targets: [
    {
      contender: OURS,
      metric: 'exact',
      text: 'all of them',
      isMet: ({ value, also }) => value === also('screens'),
    },
    {
      ...{ contender: OURS, metric: 'reads', text: 'at most relays × hz' },
      isMet: ({ value, also }) => value <= also('relays') * HZ,
    },
    {
      ...{ contender: OURS, metric: 'hints', text: 'at most 40 × relays a second' },
      isMet: ({ value, also }) => value <= also('relays') * HINTS_PER_SECOND,
    },
  ],
  async run({ quick, progress }) {
    const relays = quick ? 2 * AT_A_TIME : RELAYS;
    const screensEach = quick ? 100 : SCREENS_EACH;
    const totals = { screens: 0, exact: 0, reads: 0, hints: 0, exactAfterMs: 0 };
    for (let done = 0; done < relays; done += AT_A_TIME) {
      progress(`${done} of ${relays} relays`);
      const report = await simulateSome({ relays: AT_A_TIME, screensEach, seed: done });
      totals.screens += report.screens;
      totals.exact += Number.isFinite(report.allExactAfterMs) ? report.screens : 0;
      totals.reads += report.mostReadsOfAll;
      totals.hints += report.mostHints;
      totals.exactAfterMs = Math.max(totals.exactAfterMs, report.exactAfterMs);
    }
    return row(`${grouped(totals.screens)} screens at hz=${HZ}`, OURS, [
      ['relays', '', relays],
      ['screens', '', totals.screens],
      ['exact', '', totals.exact],
      ['exact after', 'ms', totals.exactAfterMs],
      ['reads', '/s', totals.reads],
      ['hints', '/s', totals.hints],
    ]);
  },
};

/** In a process of its own, which gives its memory back. */
async function simulateSome(plan: Pick<CrowdPlan, 'relays' | 'screensEach' | 'seed'>) {
  const worker = startWorker<SimulationCalls>('simulation');
  try {
    return await worker.call('simulate', {
      ...plan,
      ...{ hz: HZ, ballotsPerSecond: 1_000_000 / 60, seconds: 3.3 },
      ...{ network: { delayMs: [0.2, 3], lost: 0 }, slow: 0.01 },
    });
  } finally {
    await end(worker.child);
  }
}
