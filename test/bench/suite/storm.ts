import { OURS } from '../contender/contenders.ts';
import { type RunningRelay, redisObstacle, startRelay } from '../contender/tallycast.ts';
import { Audience } from '../load/audience.ts';
import type { CasterCalls } from '../load/caster.process.ts';
import type { Pass } from '../load/sightings.ts';
import { end, startWorker } from '../system/children.ts';
import { pause } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, grouped, percentile, row, type Sample } from './bench.ts';
import { castsOf } from './casts.ts';

const EXACT_PATIENCE_MS = 10_000;

export const storm: Bench = {
  name: 'storm',
  title: 'Storm: ballots on one poll, with all subscribers',
  control: 'no conflation (computed)',
  targets: [
    {
      contender: OURS,
      metric: 'frames each',
      text: 'at most 10 a second',
      isMet: ({ value }) => value <= 10.05,
    },
    { contender: OURS, metric: 'staleness p99', text: 'under 300 ms', isMet: ({ value }) => value < 300 },
    {
      contender: OURS,
      metric: 'exact after',
      text: 'within 1 s of the last ballot',
      isMet: ({ value }) => value <= 1_000,
    },
  ],
  async run({ quick, note }) {
    const obstacle = redisObstacle();
    if (obstacle) {
      note(obstacle);
      return [];
    }
    const sizes = quick
      ? { subscribers: 200, perSecond: 1_000, ms: 2_000 }
      : { subscribers: 5_000, perSecond: 10_000, ms: 10_000 };
    const relay = await startRelay({ profileDir: process.env['BENCH_PROFILE'] });
    const audience = new Audience(relay.dial, sizes.subscribers);
    const caster = startWorker<CasterCalls>('caster');
    try {
      await caster.call('open', { redisUrl: relay.redis.url });
      await audience.open(sizes.subscribers);
      await pause(500);
      return await measure(relay, audience, order => caster.call('castAtRate', order), sizes);
    } finally {
      await audience.leave();
      await end(caster.child);
      await relay.stop();
    }
  },
};

type Sizes = { readonly subscribers: number; readonly perSecond: number; readonly ms: number };

async function measure(
  relay: RunningRelay,
  audience: Audience,
  castAtRate: (
    order: Parameters<CasterCalls['castAtRate']>[0],
  ) => Promise<Awaited<ReturnType<CasterCalls['castAtRate']>>>,
  { subscribers, perSecond, ms }: Sizes,
): Promise<Sample[]> {
  const { pollId, answerIds } = relay;
  // So that neither side compiles while it is measured.
  await castAtRate({ perSecond, ms: 500, target: { pollId, answerIds } });
  const framesBefore = await audience.settle();
  await audience.watch(true);
  const cpuBefore = cpuMs(relay.pids());
  const cast = await castAtRate({ perSecond, ms, target: { pollId, answerIds } });
  const last = cast.versions.reduce((newest, version) => Math.max(newest, version), 0);
  const exactMs = await audience.reach(last, subscribers, EXACT_PATIENCE_MS);
  const frames = (await audience.settle()) - framesBefore;
  const cpu = cpuMs(relay.pids()) - cpuBefore;

  const published = [...cast.versions].map((version, index) => ({ version, castMs: cast.times[index]! }));
  const { staleness, passes } = await audience.collect(castsOf(published));
  const scene = `${grouped(perSecond)} ballots a second, ${grouped(subscribers)} subscribers`;
  return [
    ...row(scene, OURS, [
      ['ballots', '/s', cast.versions.length / (cast.ms / 1_000)],
      ['frames each', '/s', framesPerSecond(passes)],
      ['frames in all', '', frames],
      ['staleness p99', 'ms', percentile(staleness, 0.99)],
      ['staleness max', 'ms', staleness.at(-1) ?? Number.NaN],
      ['exact after', 'ms', (exactMs ?? Number.NaN) - cast.ackedMs],
      ['relay CPU', 'cores', cpu / cast.ms],
    ]),
    ...row(scene, 'no conflation (computed)', [
      ['frames each', '/s', perSecond],
      ['frames in all', '', cast.versions.length * subscribers],
    ]),
  ];
}

/** Counted between the first and the last, so that neither edge of the storm adds one. */
function framesPerSecond(passes: readonly Pass[]): number {
  const first = passes[0];
  const last = passes.at(-1);
  if (!first || !last || passes.length < 2) return Number.NaN;
  return ((passes.length - 1) * 1_000) / (last.firstMs - first.firstMs);
}
