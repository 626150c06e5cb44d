import { redisObstacle } from '../contender/tallycast.ts';
import { type RunningFrontEnd, startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { ProgramCalls } from '../load/programs.process.ts';
import type { RusherCalls } from '../load/rusher.process.ts';
import type { Voter, VoterCalls } from '../load/voter.process.ts';
import type { WorkerProcess } from '../system/calls.ts';
import { end, startWorker } from '../system/children.ts';
import { cpuMs, rssBytes } from '../system/usage.ts';
import { type Bench, type Context, grouped, percentile, row, type Sample } from './bench.ts';

const CONTROL = 'no webhooks';
/** Its ratio to the first is the noise. */
const AGAIN = 'no webhooks, again';
const SOME = 'one of them wants each event';
const ALL = 'all want all events';
const WEBHOOKS = 1_000;
const EVENTS_PER_SECOND = 10_000 / 60;
const VOTERS_PER_SECOND = 200;
const PHASE_MS = 12_000;
const WARM_UP_MS = 6_000;
const POLLS = 50;
const OPERATOR_KEY = 'operator-key-of-the-bench';
const EASY = { PROOF_COST: '1' };
const SETTINGS = {
  OPERATOR_KEYS: OPERATOR_KEY,
  OPERATOR_PER_MINUTE: '1000000',
  CREATE_PER_MINUTE: '1000000',
  WEBHOOK_PRIVATE_ADDRESSES: 'true',
};
/** An event that does not happen here. */
const UNHEARD = ['show.changed'];

interface Deployment {
  readonly scene: string;
  readonly engine: 'redis' | 'embedded';
  readonly roles: readonly string[];
}

/** Ballots while polls are opened and closed, and webhooks get these events; as the compose file runs it. */
export const webhooks = benchOf('webhooks', [
  { scene: 'redis, relay and voting', engine: 'redis', roles: ['relay', 'voting'] },
]);

/** All of it in one process, as `npm start` runs it. */
export const webhooksBeside = benchOf('webhooks-one-process', [
  { scene: 'redis', engine: 'redis', roles: ['all'] },
  { scene: 'embedded', engine: 'embedded', roles: ['all'] },
]);

function benchOf(name: string, deployments: readonly Deployment[]): Bench {
  return {
    name,
    title: `Ballots, ${VOTERS_PER_SECOND} a second, beside 10,000 events a minute and ${grouped(WEBHOOKS)} webhooks`,
    control: CONTROL,
    targets: [SOME, ALL].map(contender => ({
      ...{ contender, metric: 'ballot p99', text: 'at most 5 % longer' },
      isMet: ({ ratio }: { ratio: number }) => ratio <= 1.05,
    })),
    async run(context) {
      const obstacle = redisObstacle();
      if (obstacle) context.note(obstacle);
      const samples: Sample[] = [];
      for (const deployment of deployments)
        if (!obstacle || deployment.engine === 'embedded')
          samples.push(...(await measure(context, deployment)));
      return samples;
    },
  };
}

async function measure(context: Context, { scene, engine, roles }: Deployment): Promise<Sample[]> {
  const { quick, progress } = context;
  const [warmUpMs, ms] = quick ? [1_000, 2_000] : [WARM_UP_MS, PHASE_MS];
  const count = quick ? 20 : WEBHOOKS;
  const frontEnd = await startVotingFrontEnd(engine, { ...SETTINGS, ...EASY }, undefined, roles);
  const programs = startWorker<ProgramCalls>('programs');
  try {
    const { port, relayPort, pollId } = frontEnd;
    const site = { port: relayPort, operatorKey: OPERATOR_KEY };
    progress(`${scene}: solving checks`);
    const votersIn = (time: number) => (time / 1_000) * VOTERS_PER_SECOND;
    const voters = await solve(frontEnd, 4 * votersIn(warmUpMs + ms));
    const ids = await programs.call('createPolls', {
      ...{ ...site, count: POLLS },
      poll: { title: 'Bench', answers: ['one', 'two', 'three'] },
    });
    const load = async (time: number) => {
      const [{ answered, odd, ballotsPutOff }, { failures }] = await Promise.all([
        rush({ port, pollId, voters: voters.splice(0, votersIn(time)), withinMs: time }),
        programs.call('change', { ...site, ids, perSecond: EVENTS_PER_SECOND, ms: time }),
      ]);
      if (failures + ballotsPutOff + Object.keys(odd).length > 0)
        throw new Error(
          `${failures} changes failed, ${ballotsPutOff} ballots put off, other replies: ${JSON.stringify(odd)}`,
        );
      return answered.sort((a, b) => a - b);
    };
    const received = () => programs.call('received', undefined as never);
    const phase = async (contender: string, wanted: readonly (readonly string[])[]) => {
      progress(`${scene}: ${contender}`);
      const webhookIds = await programs.call('addWebhooks', { ...site, wanted });
      // A process of its own for each phase: what one left behind must not slow the next.
      await frontEnd.restart(SETTINGS);
      await load(warmUpMs);
      const [receivedBefore, cpuBefore] = [await received(), cpuMs(frontEnd.pids())];
      const sorted = await load(ms);
      const deliveries = (await received()) - receivedBefore;
      const cpu = cpuMs(frontEnd.pids()) - cpuBefore;
      const memory = rssBytes(frontEnd.pids());
      await programs.call('removeWebhooks', { ...site, ids: webhookIds });
      return row(scene, contender, [
        ['ballot p99', 'ms', percentile(sorted, 0.99)],
        ['ballot p50', 'ms', percentile(sorted, 0.5)],
        ['slowest ballot', 'ms', sorted.at(-1) ?? Number.NaN],
        ['deliveries', '/s', deliveries / (ms / 1_000)],
        ['CPU', '%', (cpu / ms) * 100],
        ['memory', 'MB', memory / 1e6],
      ]);
    };
    return [
      ...(await phase(CONTROL, [])),
      ...(await phase(SOME, [['poll.closed'], ['poll.opened'], ...Array(count - 2).fill(UNHEARD)])),
      ...(await phase(ALL, Array(count).fill(['poll.opened', 'poll.closed']))),
      ...(await phase(AGAIN, [])),
    ];
  } finally {
    await end(programs.child);
    await frontEnd.stop();
  }
}

async function solve({ port, pollId }: RunningFrontEnd, count: number): Promise<Voter[]> {
  return withWorker<VoterCalls, Voter[]>('voter', async load => {
    await load.call('prepare', { port, pollId, count });
    return [...(await load.call('handOver', undefined as never))];
  });
}

function rush(order: Parameters<RusherCalls['rush']>[0]) {
  return withWorker<RusherCalls, Awaited<ReturnType<RusherCalls['rush']>>>('rusher', load =>
    load.call('rush', order),
  );
}

async function withWorker<C extends VoterCalls | RusherCalls, T>(
  name: string,
  act: (load: WorkerProcess<C>) => Promise<T>,
): Promise<T> {
  const load = startWorker<C>(name);
  try {
    return await act(load);
  } finally {
    await end(load.child);
  }
}
