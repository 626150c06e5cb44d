import { waitedMs } from '../../support/stopwatch.ts';
import { SAMPLE_POLL } from '../contender/sample-results.ts';
import { type RunningFrontEnd, startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { HallCalls } from '../load/hall.process.ts';
import type { NeighborCalls } from '../load/neighbor.process.ts';
import { end, startWorker } from '../system/children.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, grouped, percentile, row, type Sample } from './bench.ts';

const ALONE = 'alone';
const WITHIN_MS = 60_000;
const LIVE_LIMIT = 1_000;
const MAX_DELAY_MS = 1_000;
/** Limits are the defaults. The load solves each check itself, so the checks are as easy as possible. */
const SETTINGS = { TRUST_PROXY: '', NEWCOMERS_PER_SECOND: '', PROOF_COST: '1' };
const HALL_POLL = { ...SAMPLE_POLL, mip: true };

type Neighbor = ReturnType<typeof startWorker<NeighborCalls>>;
type Flood = Pick<Parameters<NeighborCalls['begin']>[0], 'connections' | 'kinds' | 'cookies'>;

const FLOODS: Readonly<Record<string, Flood>> = {
  'neighbor without a cookie': {
    connections: 32,
    kinds: ['rubbish forms', 'unknown polls', 'challenges', 'forged cookies'],
    cookies: 0,
  },
  'neighbor with 1,500 cookies': {
    connections: 256,
    kinds: [
      'pages with sealed cookies',
      'challenges with sealed cookies',
      'forms without proof',
      'proofs sent again',
    ],
    cookies: 1_500,
  },
};
const HOLDER = 'neighbor with 1,000 sockets';

export const hall: Bench = {
  name: 'hall',
  title: 'Hall: voters behind one address, each with a connection of its own, at default limits',
  control: ALONE,
  targets: [ALONE, ...Object.keys(FLOODS), HOLDER].flatMap(contender => [
    { contender, metric: 'votes missing or too many', text: '0', isMet: ({ value }) => value === 0 },
    { contender, metric: 'ballot p99', text: 'under 2 s', isMet: ({ value }) => value < 2_000 },
    { contender, metric: 'results max', text: 'under 3 s', isMet: ({ value }) => value < 3_000 },
    ...(contender === ALONE
      ? []
      : [
          {
            contender,
            metric: 'voter max',
            text: 'at most 1 s longer than alone',
            isMet: ({ value, others }) => value - (others.get(ALONE) ?? Number.NaN) <= MAX_DELAY_MS,
          } satisfies Bench['targets'][number],
        ]),
  ]),
  async run(context) {
    context.note('the load and the neighbor share the cores with the server');
    const samples: Sample[] = [];
    for (const contender of [ALONE, ...Object.keys(FLOODS), HOLDER]) {
      context.progress(contender);
      try {
        samples.push(...(await measure(context, contender)));
      } catch (error) {
        context.note(`${contender}: ${error instanceof Error ? error.message : error}`);
      }
    }
    return samples;
  },
};

async function measure(context: Context, contender: string): Promise<Sample[]> {
  const engine = process.env['BENCH_ENGINE'] === 'redis' ? 'redis' : 'embedded';
  const frontEnd = await startVotingFrontEnd(engine, SETTINGS, HALL_POLL);
  const load = startWorker<HallCalls>('hall');
  const neighbor = contender === ALONE ? undefined : startWorker<NeighborCalls>('neighbor');
  try {
    return await measureHall(context, contender, { engine, frontEnd, load, neighbor });
  } finally {
    await end(load.child);
    if (neighbor) await end(neighbor.child);
    await frontEnd.stop();
  }
}

interface Parts {
  readonly engine: string;
  readonly frontEnd: RunningFrontEnd;
  readonly load: ReturnType<typeof startWorker<HallCalls>>;
  readonly neighbor: Neighbor | undefined;
}

async function measureHall(
  { quick, note }: Context,
  contender: string,
  { engine, frontEnd, load, neighbor }: Parts,
): Promise<Sample[]> {
  const { port, relayPort, pollId } = frontEnd;
  const [voters, withinMs] = quick ? [200, 1_500] : [10_000, WITHIN_MS];
  const flood = FLOODS[contender];
  const cast = (flood && (await neighbor?.call('begin', { port, pollId, ...flood }))) ?? 0;
  if (contender === HOLDER) await neighbor?.call('hold', { port: relayPort, pollId, count: LIVE_LIMIT });
  const pids = frontEnd.pids();
  const cpuBefore = cpuMs(pids);
  // On a machine that is busy with something else these say how much of the figures is its own.
  const waited = () => [pids[0], load.pid].map(pid => waitedMs(pid ?? 0) ?? Number.NaN);
  const waitedBefore = waited();
  const report = await load.call('arrive', { port, relayPort, pollId, voters, withinMs });
  const cpu = cpuMs(pids) - cpuBefore;
  const [serverWaited, loadWaited] = waited().map((ms, index) => ms - (waitedBefore[index] ?? 0));
  if (flood) note(`${contender}: ${named(await neighbor?.call('end', undefined as never))}`);
  if (contender === HOLDER)
    note(
      `${contender}: ${await neighbor?.call('open', undefined as never)} live, ${report.readers} voters read`,
    );
  if (Object.keys(report.errors).length > 0) note(`${contender}: replies ${named(report.errors)}`);
  const counted = await readVoters(relayPort, pollId);
  return row(`${grouped(voters)} voters within ${withinMs / 1_000} s, ${engine} engine`, contender, [
    ['votes missing or too many', '', Math.abs(voters - (counted - cast))],
    ...spreadOf('ballot', report.ballots),
    ...spreadOf('voter', report.voters),
    ...spreadOf('results', report.results),
    ['asked for a cookie', '', report.toldCookie],
    ['put off', '', report.putOff],
    ['errors', '', Object.values(report.errors).reduce((sum, count) => sum + count, 0)],
    ['server CPU', 'ms', cpu],
    ['server waited for a core', 'ms', serverWaited ?? Number.NaN],
    ['load waited for a core', 'ms', loadWaited ?? Number.NaN],
  ]);
}

function spreadOf(name: string, values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  return [
    [`${name} p50`, 'ms', percentile(sorted, 0.5)],
    [`${name} p99`, 'ms', percentile(sorted, 0.99)],
    [`${name} max`, 'ms', sorted.at(-1) ?? Number.NaN],
  ] as const;
}

function named(counts: Readonly<Record<string, number>> = {}): string {
  const entries = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, count]) => `${grouped(count)} ${name}`).join(', ');
}

async function readVoters(relayPort: number, pollId: string): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${relayPort}/api/poll/${pollId}`);
  return ((await reply.json()) as { total_voters: number }).total_voters;
}
