import type { RunningContender } from '../contender/contender.ts';
import { FLOOR, OURS } from '../contender/contenders.ts';
import { Audience } from '../load/audience.ts';
import { monotonicMs, paced } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, forEach, grouped, percentile, row, type Sample, type Standing } from './bench.ts';
import { castsOf } from './casts.ts';

const UPDATES_PER_SECOND = 10;

export const fanOut: Bench = {
  name: 'fan-out',
  title: `Fan-out: subscribers of one poll, ${UPDATES_PER_SECOND} updates a second`,
  control: FLOOR,
  targets: [
    ...(
      [
        ['2,000 subscribers', 1.3],
        ['10,000 subscribers', 1.15],
      ] as const
    ).map(([scene, most]) => ({
      scene,
      contender: OURS,
      metric: 'CPU per frame',
      text: `at most ${most} × the bare loop`,
      isMet: ({ ratio }: Standing) => ratio <= most,
    })),
    {
      scene: '2,000 subscribers',
      contender: OURS,
      metric: 'p99',
      text: "at most 2 × the bare loop's",
      isMet: ({ ratio }) => ratio <= 2,
    },
  ],
  run(context) {
    const sizes = context.quick ? [200, 500] : [2_000, 10_000];
    return forEach(context, async ({ name }, running) => {
      const audience = new Audience(running.dial, Math.max(...sizes));
      const samples: Sample[] = [];
      try {
        let present = 0;
        for (const size of sizes) {
          await audience.open(size - present);
          present = size;
          const figures = await measure(running, audience, context.quick);
          samples.push(...row(`${grouped(size)} subscribers`, name, figures));
        }
      } finally {
        await audience.leave();
      }
      return samples;
    });
  },
};

/** From rest to rest, so that no frame is counted whose CPU is not, nor the other way round. */
async function measure(running: RunningContender, audience: Audience, quick: boolean) {
  const publish = async () => {
    const castMs = monotonicMs();
    return { version: await running.publish(), castMs };
  };
  await paced(UPDATES_PER_SECOND, quick ? 500 : 2_000, publish);
  const framesBefore = await audience.settle();

  await audience.watch(true);
  const pids = running.pids();
  const cpuBefore = cpuMs(pids);
  const clientBefore = cpuMs(audience.pids);
  const published: Promise<{ version: number; castMs: number }>[] = [];
  const seconds = quick ? 1 : 5;
  await paced(UPDATES_PER_SECOND, seconds * 1_000, () => void published.push(publish()));
  const casts = castsOf(await Promise.all(published));
  const frames = (await audience.settle()) - framesBefore;
  const cpu = cpuMs(pids) - cpuBefore;
  const clientCpu = cpuMs(audience.pids) - clientBefore;
  await audience.watch(false);

  const { latencies, framesEach } = await audience.collect(casts);
  return [
    ['CPU per frame', 'µs', (cpu * 1_000) / frames],
    ['p50', 'ms', percentile(latencies, 0.5)],
    ['p99', 'ms', percentile(latencies, 0.99)],
    ['max', 'ms', latencies.at(-1) ?? Number.NaN],
    ['frames each', '/s', percentile(framesEach, 0.5) / seconds],
    ['client CPU', 'µs', (clientCpu * 1_000) / frames],
  ] as const;
}
