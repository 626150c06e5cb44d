import { readFileSync } from 'node:fs';
import { OURS } from '../contender/contenders.ts';
import { type RunningRelay, redisObstacle, startRelay } from '../contender/tallycast.ts';
import { Audience } from '../load/audience.ts';
import type { ReaderCalls } from '../load/reader.process.ts';
import { end, startWorker } from '../system/children.ts';
import { monotonicMs, paced } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, grouped, median, percentile, row, type Sample } from './bench.ts';
import { castsOf } from './casts.ts';

const HZ = 10;
const READS_PER_SECOND = 50;
/** Descriptors that the relay needs for other things. */
const RESERVED_DESCRIPTORS = 500;

export const overload: Bench = {
  name: 'overload',
  title: 'Overload: twice the frames that one process can send',
  control: undefined,
  targets: [
    {
      contender: OURS,
      metric: 'staleness p99',
      text: 'at most 3 × the time of one pass',
      isMet: ({ value, also }) => value <= 3 * also('one pass'),
    },
    { contender: OURS, metric: 'cut off', text: '0', isMet: ({ value }) => value === 0 },
    { contender: OURS, metric: 'read p99', text: 'under 250 ms', isMet: ({ value }) => value < 250 },
  ],
  async run(context) {
    const obstacle = redisObstacle();
    if (obstacle) {
      context.note(obstacle);
      return [];
    }
    const load = await findLoad(context);
    context.progress(`${load.subscribers} subscribers at ${load.hz} a second`);
    const relay = await startRelay({ hz: load.hz });
    const audience = new Audience(relay.dial, load.subscribers);
    const reader = startWorker<ReaderCalls>('reader');
    try {
      await audience.open(load.subscribers);
      const order = {
        port: relay.port,
        paths: [`/api/poll/${relay.pollId}`],
        connections: 32,
        ms: context.quick ? 1_500 : 10_000,
        perSecond: READS_PER_SECOND,
      };
      return await measure(relay, audience, load, order.ms, () => reader.call('read', order));
    } finally {
      await audience.leave();
      await end(reader.child);
      await relay.stop();
    }
  },
};

interface Load {
  readonly subscribers: number;
  readonly hz: number;
}

/** What one process can serve is what it costs to serve some; twice of that, at a higher rate where descriptors run out. */
async function findLoad({ quick, progress }: Context): Promise<Load> {
  progress('measuring what one process can serve');
  const sample = quick ? 200 : 2_000;
  const relay = await startRelay();
  const audience = new Audience(relay.dial, sample);
  try {
    await audience.open(sample);
    await paced(HZ, 1_000, () => relay.publish());
    const framesBefore = await audience.settle();
    const cpuBefore = cpuMs(relay.pids());
    await paced(HZ, quick ? 1_000 : 3_000, () => relay.publish());
    const frames = (await audience.settle()) - framesBefore;
    const msPerFrame = (cpuMs(relay.pids()) - cpuBefore) / frames;
    if (quick) return { subscribers: 500, hz: HZ };
    const subscribers = Math.round((2 * 1_000) / msPerFrame / HZ);
    return subscribers < mostConnections()
      ? { subscribers, hz: HZ }
      : { subscribers: Math.min(mostConnections(), Math.round(subscribers / 2)), hz: 2 * HZ };
  } finally {
    await audience.leave();
    await relay.stop();
  }
}

function mostConnections(): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return Number(limit ?? 1_024) - RESERVED_DESCRIPTORS;
}

async function measure(
  relay: RunningRelay,
  audience: Audience,
  { subscribers, hz }: Load,
  ms: number,
  read: () => Promise<Awaited<ReturnType<ReaderCalls['read']>>>,
): Promise<Sample[]> {
  // Twice as often as subscribers may hear of it, so that there is always something newer to send.
  const ballotsPerSecond = hz * 2;
  await paced(ballotsPerSecond, ms / 5, () => relay.publish());
  await audience.watch(true);
  const reading = read();
  const published: { version: number; castMs: number }[] = [];
  const answered: number[] = [];
  await paced(ballotsPerSecond, ms, async () => {
    const castMs = monotonicMs();
    published.push({ version: await relay.publish(), castMs });
    answered.push(monotonicMs() - castMs);
  });
  const { latencies, failures } = await reading;
  const { closed } = await audience.tally();
  await audience.watch(false);
  const { staleness, passes, framesEach } = await audience.collect(castsOf(published));
  const whole = passes.filter(({ frames }) => frames > subscribers / 2);
  return row(`${grouped(subscribers)} subscribers at ${hz} a second`, OURS, [
    ['staleness p99', 'ms', percentile(staleness, 0.99)],
    ['one pass', 'ms', median(whole.map(({ firstMs, lastMs }) => lastMs - firstMs))],
    ['frames each', '/s', percentile(framesEach, 0.5) / (ms / 1_000)],
    ['fewest frames', '/s', (framesEach[0] ?? 0) / (ms / 1_000)],
    ['cut off', '', closed],
    ['read p99', 'ms', percentile(latencies, 0.99)],
    ['reads failed', '', failures],
    [
      'ballot p99',
      'ms',
      percentile(
        answered.sort((a, b) => a - b),
        0.99,
      ),
    ],
  ]);
}
