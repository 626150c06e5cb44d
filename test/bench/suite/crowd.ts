import type { RunningContender } from '../contender/contender.ts';
import { OURS, WS_LOOP } from '../contender/contenders.ts';
import { tallycastCompact } from '../contender/tallycast.ts';
import { Audience } from '../load/audience.ts';
import { monotonicMs, paced, pause } from '../system/clock.ts';
import { cpuMs, rssBytes } from '../system/usage.ts';
import { type Bench, forEach, grouped, row } from './bench.ts';

const BACK_PATIENCE_MS = 40_000;
/** Opened and served before the first reading, so that code and buffers that all share are not charged to the crowd. */
const EARLY = 100;

export const crowd: Bench = {
  name: 'crowd',
  title: 'Crowd: idle subscribers, and all of them back after the server was killed',
  // The floor holds nothing in memory: a ratio to it says nothing.
  control: WS_LOOP,
  targets: [
    {
      contender: OURS,
      metric: 'RSS each',
      text: 'at most 6 KB',
      isMet: ({ value }) => value <= 6,
    },
    {
      contender: OURS,
      metric: 'back after a kill',
      text: 'at most 1.3 × plain ws',
      isMet: ({ ratio }) => ratio <= 1.3,
    },
  ],
  run(context) {
    const size = context.quick ? 500 : 10_000;
    // While nothing is sent, the form makes no difference.
    const contenders = context.contenders.filter(({ name }) => name !== tallycastCompact.name);
    return forEach({ ...context, contenders }, async ({ name }, running) => {
      const audience = new Audience(running.dial, size + EARLY, running.restart !== undefined);
      try {
        const idle = await measureIdle(running, audience, size, context.quick);
        const back = await measureReturn(running, audience, size + EARLY);
        return row(`${grouped(size)} subscribers`, name, [...idle, ...back]);
      } finally {
        await audience.leave();
      }
    });
  },
};

async function measureIdle(running: RunningContender, audience: Audience, size: number, quick: boolean) {
  const settleMs = quick ? 500 : 4_000;
  await audience.open(EARLY);
  await paced(20, 500, () => running.publish());
  await pause(settleMs);
  const pids = running.pids();
  const rssBefore = rssBytes(pids);
  const cpuBefore = cpuMs(pids);
  const ms = await audience.open(size);
  const cpu = cpuMs(pids) - cpuBefore;
  await pause(settleMs);
  return [
    ['RSS each', 'KB', (rssBytes(pids) - rssBefore) / 1_024 / size],
    ['upgrades', '/s', size / (ms / 1_000)],
    ['CPU per upgrade', 'µs', (cpu * 1_000) / size],
  ] as const;
}

async function measureReturn(running: RunningContender, audience: Audience, size: number) {
  // A killed process leaves no profile.
  if (!running.restart || process.env['BENCH_PROFILE']) return [];
  const killedMs = monotonicMs();
  const version = await running.restart();
  const backMs = await audience.reach(version, size, BACK_PATIENCE_MS);
  return [['back after a kill', 'ms', (backMs ?? Number.NaN) - killedMs]] as const;
}
