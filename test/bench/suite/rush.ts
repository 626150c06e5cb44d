import { findFreePort } from '../../support/free-port.ts';
import { waitedMs } from '../../support/stopwatch.ts';
import { distFile } from '../contender/locations.ts';
import { answers } from '../contender/probe.ts';
import { openBenchEngine, type RunningRelay, redisObstacle, startRelay } from '../contender/tallycast.ts';
import { Audience } from '../load/audience.ts';
import type { Rush, RusherCalls } from '../load/rusher.process.ts';
import type { Voter, VoterCalls } from '../load/voter.process.ts';
import { end, launch, startWorker } from '../system/children.ts';
import { monotonicMs, pause } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, grouped, percentile, row, type Sample } from './bench.ts';
import { castsOf } from './casts.ts';

const FRONT_END = 'one front end';
const REST = 'the same watchers, no votes';
const WITHIN_MS = 2_000;
/** Ballots of our own, so that it is known when what a frame shows was cast. */
const PROBES_PER_SECOND = 25;
const HZ = 10;
const START_PATIENCE_MS = 15_000;
/** What is solved beforehand may be easier; in the rush the default is in force. */
const EASY = { PROOF_COST: '1' };

export const rush: Bench = {
  name: 'rush',
  title: 'Rush: voters with solved checks come within 2 s, open the page, vote, and open it again',
  control: REST,
  targets: [
    {
      contender: FRONT_END,
      metric: 'votes missing or too many',
      text: '0',
      isMet: ({ value }) => value === 0,
    },
    {
      contender: FRONT_END,
      metric: 'all counted after',
      text: 'within 15 s',
      isMet: ({ value }) => value <= 15_000,
    },
    {
      contender: FRONT_END,
      metric: 'ballot answered p99',
      text: 'under 2 s',
      isMet: ({ value }) => value < 2_000,
    },
    {
      contender: FRONT_END,
      metric: 'frames old p99',
      text: 'at most 300 ms',
      isMet: ({ value }) => value <= 300,
    },
  ],
  async run(context) {
    const obstacle = redisObstacle();
    if (obstacle) {
      context.note(obstacle);
      return [];
    }
    const [size, watchers] = context.quick ? [200, 100] : [5_000, 1_000];
    const relay = await startRelay({ hz: HZ });
    const audience = new Audience(relay.dial, watchers);
    try {
      const { port, voters } = await prepare(context, relay, size);
      await audience.open(watchers);
      return await measure(context, relay, audience, port, voters);
    } finally {
      await audience.leave();
      await relay.stop();
    }
  },
};

/** A front end of its own process, on the relay's Redis. */
async function startFrontEnd(relay: RunningRelay, port: number, more: NodeJS.ProcessEnv) {
  const env = {
    ...process.env,
    ...{ ROLE: 'voting', REDIS_URL: relay.redis?.url, VOTE_PORT: `${port}`, LOG_LEVEL: 'error' },
    ...{ VOTE_PUBLIC_URL: `http://127.0.0.1:${port}`, TRUST_PROXY: '127.0.0.1', ...more },
  };
  const child = launch(process.execPath, [distFile('main.js')], { env });
  if (await answers(port, START_PATIENCE_MS)) return child;
  await end(child);
  throw new Error('the voting front end did not start (BENCH_DEBUG=1 shows why)');
}

async function prepare({ progress }: Context, relay: RunningRelay, count: number) {
  progress(`solving ${count} checks`);
  const port = await findFreePort();
  const frontEnd = await startFrontEnd(relay, port, EASY);
  const load = startWorker<VoterCalls>('voter');
  try {
    await load.call('prepare', { port, pollId: relay.pollId, count });
    return { port, voters: await load.call('handOver', undefined as never) };
  } finally {
    await end(load.child);
    await end(frontEnd, 'SIGTERM');
  }
}

async function measure(
  { progress, quick }: Context,
  relay: RunningRelay,
  audience: Audience,
  port: number,
  voters: readonly Voter[],
): Promise<Sample[]> {
  const frontEnd = await startFrontEnd(relay, port, {});
  const load = startWorker<RusherCalls>('rusher');
  const engine = await openBenchEngine(relay.redis?.url ?? '');
  const scene = `${grouped(voters.length)} voters, ${quick ? 100 : '1,000'} watchers`;
  try {
    progress('no votes');
    const rest = await probe(relay, audience, () => pause(quick ? 1_000 : 4_000));
    progress('all at once');
    const pids = [frontEnd.pid ?? 0];
    const votersBefore = (await engine.polls.find(relay.pollId))?.results.totalVoters ?? 0;
    const cpuBefore = cpuMs(pids);
    // On a machine that is busy with something else these say how much of the figures is its own.
    const waited = () => [frontEnd.pid, relay.pids()[0]].map(pid => waitedMs(pid ?? 0) ?? Number.NaN);
    const waitedBefore = waited();
    const beganMs = monotonicMs();
    const order = { port, pollId: relay.pollId, voters, withinMs: WITHIN_MS };
    const rushed = await probe(relay, audience, () => load.call('rush', order));
    const cpu = cpuMs(pids) - cpuBefore;
    const [frontEndWaited, relayWaited] = waited().map((ms, index) => ms - (waitedBefore[index] ?? 0));
    const { results } = (await engine.polls.find(relay.pollId)) ?? {};
    const counted = (results?.totalVoters ?? 0) - votersBefore - rushed.probes;
    return [
      ...row(scene, REST, rest.figures),
      ...row(scene, FRONT_END, [
        ['votes missing or too many', '', Math.abs(voters.length - counted)],
        ['all counted after', 'ms', rushed.result.lastCountedMs - beganMs],
        ...figuresOf(rushed.result),
        ['CPU each', 'µs', (cpu * 1_000) / voters.length],
        ['front end waited for a core', 'ms', frontEndWaited ?? Number.NaN],
        ['relay waited for a core', 'ms', relayWaited ?? Number.NaN],
        ...rushed.figures,
      ]),
    ];
  } finally {
    await end(load.child);
    await end(frontEnd, 'SIGTERM');
    await engine.close();
  }
}

function figuresOf({ answered, counted, opened, pagesPutOff, ballotsPutOff, odd }: Rush) {
  const p99 = (values: readonly number[]) =>
    percentile(
      [...values].sort((a, b) => a - b),
      0.99,
    );
  return [
    ['ballot answered p99', 'ms', p99(answered)],
    ['ballot counted p99', 'ms', p99(counted)],
    ['page opened p99', 'ms', p99(opened)],
    ['pages put off', '', pagesPutOff],
    ['ballots put off', '', ballotsPutOff],
    ['odd answers', '', Object.values(odd).reduce((sum, one) => sum + one, 0)],
  ] as const;
}

/** How old the frames of the watchers are while something happens. */
async function probe<T>(relay: RunningRelay, audience: Audience, act: () => Promise<T>) {
  const published: { version: number; castMs: number }[] = [];
  let isOver = false;
  await audience.watch(true);
  const probing = (async () => {
    while (!isOver) {
      const castMs = monotonicMs();
      published.push({ version: await relay.publish(), castMs });
      await pause(1_000 / PROBES_PER_SECOND);
    }
  })();
  const result = await act();
  isOver = true;
  await probing;
  await audience.settle();
  await audience.watch(false);
  const casts = castsOf(published);
  // A ballot between two of ours was cast after the first of them: at the most so old is a frame that shows it.
  casts.times.forEach((ms, index) => {
    if (Number.isNaN(ms)) casts.times[index] = casts.times[index - 1] ?? Number.NaN;
  });
  const { staleness } = await audience.collect(casts);
  const figures = [
    ['frames old p99', 'ms', percentile(staleness, 0.99)],
    ['frames old at most', 'ms', staleness.at(-1) ?? Number.NaN],
  ] as const;
  return { result, probes: published.length, figures };
}
