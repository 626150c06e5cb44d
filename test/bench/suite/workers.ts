import { cpus } from 'node:os';
import { redisObstacle, startRelay } from '../contender/tallycast.ts';
import { Audience } from '../load/audience.ts';
import { monotonicMs, paced } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, grouped, row, type Sample } from './bench.ts';

const ONE = 'one worker';
const TWO = 'two workers';
/** The highest rate that subscribers may ask for: more than one process can serve this crowd at. */
const HZ = 20;
const PER_CPU_SECOND = 'per CPU second of the busiest';

export const workers: Bench = {
  name: 'workers',
  title: `Workers: as many frames as go out, ${HZ} updates a second`,
  control: ONE,
  targets: [
    // Not by frames a second: on few cores the subscribers of the bench are the limit, not the relay.
    {
      contender: TWO,
      metric: PER_CPU_SECOND,
      text: 'at least 1.7 × one worker',
      isMet: ({ ratio }) => ratio >= 1.7,
    },
  ],
  async run(context) {
    const obstacle = redisObstacle();
    if (obstacle) {
      context.note(obstacle);
      return [];
    }
    const cores = cpus().length;
    if (cores < 5)
      context.note(
        `on ${cores} cores the subscribers compete with two workers: frames a second are theirs, too`,
      );
    const samples: Sample[] = [];
    for (const [contender, count] of [
      [ONE, 1],
      [TWO, 2],
    ] as const) {
      context.progress(contender);
      samples.push(...(await measure(context, contender, count)));
    }
    return samples;
  },
};

async function measure({ quick, note }: Context, contender: string, count: number): Promise<Sample[]> {
  const size = quick ? 300 : 10_000;
  const relay = await startRelay({ workers: count, hz: HZ });
  const audience = new Audience(relay.dial, size);
  try {
    if (relay.pids().length < count) {
      note(`WORKERS=${count} started no further process: not supported by this build`);
      return [];
    }
    await audience.open(size);
    await paced(HZ, quick ? 300 : 2_000, () => relay.publish());
    const pids = relay.pids();
    const framesBefore = (await audience.tally()).frames;
    const cpuBefore = pids.map(pid => cpuMs([pid]));
    const startMs = monotonicMs();
    await paced(HZ, quick ? 1_000 : 5_000, () => relay.publish());
    const frames = (await audience.tally()).frames - framesBefore;
    const ms = monotonicMs() - startMs;
    const cpu = pids.map((pid, index) => cpuMs([pid]) - cpuBefore[index]!);
    const total = cpu.reduce((sum, one) => sum + one, 0);
    return row(`${grouped(size)} subscribers`, contender, [
      ['frames', '/s', frames / (ms / 1_000)],
      [PER_CPU_SECOND, 'frames', frames / (Math.max(...cpu) / 1_000)],
      ['relay CPU', 'cores', total / ms],
      // Half of it each, where connections are spread evenly.
      ['share of the busiest', '%', (100 * Math.max(...cpu)) / total],
    ]);
  } finally {
    await audience.leave();
    await relay.stop();
  }
}
