import { findFreePort } from '../../support/free-port.ts';
import { answers } from '../contender/probe.ts';
import { launchStaticServer, STATIC_SERVER } from '../contender/static-server.ts';
import { redisObstacle } from '../contender/tallycast.ts';
import { startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { VoterCalls } from '../load/voter.process.ts';
import { end, startWorker } from '../system/children.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, row, type Sample } from './bench.ts';

const SCENE = 'page to receipt';
const ON_REDIS = 'Tallycast on Redis';
const EMBEDDED = 'Tallycast, embedded engine';
const WHOLE_WAY = 'a voter';
const STEPS = ['page', 'ballot', 'page after it'] as const;
/** While the compiler is still at work on the server: not measured. */
const FIRST_VOTERS = 3_000;
const VOTERS = 2_000;
/** The check's default is in force while the server is measured; what is solved beforehand may be easier. */
const EASY = { PROOF_COST: '1' };

type Load = ReturnType<typeof startWorker<VoterCalls>>;
/** Server CPU of each step, and bytes of its reply. */
type Way = readonly { readonly cpuUs: number; readonly bytes: number }[];

export const voters: Bench = {
  name: 'voters',
  title: 'Voters: server CPU of one voter, human check solved beforehand',
  control: STATIC_SERVER,
  targets: [EMBEDDED, ON_REDIS].flatMap(contender => [
    { contender, metric: WHOLE_WAY, text: 'at most 600 µs', isMet: ({ value }) => value <= 600 },
    {
      ...{ contender, metric: WHOLE_WAY, text: 'at most 6 × three static replies of the same size' },
      isMet: ({ ratio }) => ratio <= 6,
    },
  ]),
  async run(context) {
    const obstacle = redisObstacle();
    if (obstacle) context.note(`${ON_REDIS}: ${obstacle}`);
    const samples: Sample[] = [];
    let bytes: readonly number[] = [];
    for (const [contender, engine] of [
      [EMBEDDED, 'embedded'],
      [ON_REDIS, 'redis'],
    ] as const) {
      if (engine === 'redis' && obstacle) continue;
      context.progress(contender);
      const way = await withLoad(load => measureWay(context, load, engine));
      bytes = way.map(step => step.bytes);
      samples.push(...rows(contender, way));
    }
    context.progress(STATIC_SERVER);
    return [...samples, ...rows(STATIC_SERVER, await withLoad(load => measureStatic(context, load, bytes)))];
  },
};

function rows(contender: string, way: Way): Sample[] {
  const whole = way.reduce((sum, { cpuUs }) => sum + cpuUs, 0);
  return row(SCENE, contender, [
    [WHOLE_WAY, 'µs', whole],
    ...way.map(({ cpuUs }, index) => [STEPS[index] ?? '', 'µs', cpuUs] as const),
  ]);
}

async function withLoad<T>(act: (load: Load) => Promise<T>): Promise<T> {
  const load = startWorker<VoterCalls>('voter');
  try {
    return await act(load);
  } finally {
    await end(load.child);
  }
}

async function measureWay({ quick }: Context, load: Load, engine: 'redis' | 'embedded'): Promise<Way> {
  const [first, count] = quick ? [20, 50] : [FIRST_VOTERS, VOTERS];
  const frontEnd = await startVotingFrontEnd(engine, EASY);
  try {
    const { port, pollId } = frontEnd;
    await load.call('prepare', { port, pollId, count: first + count });
    await frontEnd.restart({});
    const pids = frontEnd.pids();
    const step = async (name: 'openPages' | 'sendBallots' | 'openReceipts') => {
      const cpuBefore = cpuMs(pids);
      const bytes = await load.call(name, { port, pollId, from: first, to: first + count });
      return { bytes, cpuUs: ((cpuMs(pids) - cpuBefore) * 1_000) / count };
    };
    for (const name of ['openPages', 'sendBallots', 'openReceipts'] as const)
      await load.call(name, { port, pollId, from: 0, to: first });
    return [await step('openPages'), await step('sendBallots'), await step('openReceipts')];
  } finally {
    await frontEnd.stop();
  }
}

async function measureStatic({ quick }: Context, load: Load, sizes: readonly number[]): Promise<Way> {
  const [first, count] = quick ? [20, 50] : [FIRST_VOTERS, VOTERS];
  const port = await findFreePort();
  const child = launchStaticServer(port);
  try {
    if (!(await answers(port, 10_000))) throw new Error('the static server does not answer');
    for (const bytes of sizes) await load.call('readBytes', { port, bytes, count: first });
    const way: { cpuUs: number; bytes: number }[] = [];
    for (const bytes of sizes) {
      const cpuBefore = cpuMs([child.pid ?? 0]);
      await load.call('readBytes', { port, bytes, count });
      way.push({ bytes, cpuUs: ((cpuMs([child.pid ?? 0]) - cpuBefore) * 1_000) / count });
    }
    return way;
  } finally {
    await end(child);
  }
}
