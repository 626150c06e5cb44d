import { SAMPLE_POLL } from '../contender/sample-results.ts';
import { redisObstacle } from '../contender/tallycast.ts';
import { createPoll, startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { VoterCalls } from '../load/voter.process.ts';
import { end, startWorker } from '../system/children.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, row, type Sample } from './bench.ts';

const BALLOT = 'a ballot by the voting front end';
const ORDINARY = 'ordinary poll';
const VERIFIABLE = 'verifiable poll';
/** Its ratio to the first is the noise. */
const AGAIN = 'another ordinary poll';
const MOST = 1.05;
export const ENGINES = ['embedded', 'Redis'] as const;
export type EngineName = (typeof ENGINES)[number];
/** What both polls get in turn, so that they share the moods of the machine. */
const ROUNDS = 30;
const BALLOTS = 500;
export const EASY = { PROOF_COST: '1' };
const sceneOf = (engine: EngineName) => `${BALLOT}, ${engine}`;

/** What a ballot of a verifiable poll costs beside one of an ordinary poll. */
export const verifiable: Bench = {
  name: 'verifiable',
  title: 'Verifiable polls: CPU of a ballot, with all threads and Redis',
  control: ORDINARY,
  targets: ENGINES.map(engine => ({
    scene: sceneOf(engine),
    contender: VERIFIABLE,
    metric: 'server CPU',
    text: `at most ${MOST} × that of an ordinary poll`,
    isMet: ({ ratio }) => ratio <= MOST,
  })),
  run: context => onEach(context, measureBallots),
};

/** The engines in turn, or the embedded one alone without Redis. */
export async function onEach(
  context: Context,
  measure: (engine: EngineName, context: Context) => Promise<Sample[]>,
): Promise<Sample[]> {
  const obstacle = redisObstacle();
  if (obstacle) context.note(obstacle);
  const samples: Sample[] = [];
  for (const engine of obstacle ? (['embedded'] as const) : ENGINES) {
    context.progress(engine);
    samples.push(...(await measure(engine, context)));
  }
  return samples;
}

/** CPU of all threads of the process, and of Redis. */
async function measureBallots(engine: EngineName, { quick }: Context): Promise<Sample[]> {
  const [rounds, count] = quick ? [2, 20] : [ROUNDS, BALLOTS];
  const frontEnd = await startVotingFrontEnd(engine === 'Redis' ? 'redis' : 'embedded', EASY);
  const load = startWorker<VoterCalls>('voter');
  try {
    const { port, relayPort } = frontEnd;
    const create = (poll: object) => createPoll(relayPort, { ...SAMPLE_POLL, ...poll });
    const pollIds = {
      [ORDINARY]: frontEnd.pollId,
      [VERIFIABLE]: await create({ verifiable: true }),
      [AGAIN]: await create({}),
    };
    const names = [ORDINARY, VERIFIABLE, AGAIN] as const;
    // The first two rounds are the compiler's.
    const each = (rounds + 2) * count;
    for (const name of names) await load.call('prepare', { port, pollId: pollIds[name], count: each });
    await frontEnd.restart({});
    const used = { [ORDINARY]: 0, [VERIFIABLE]: 0, [AGAIN]: 0 };
    const pids = [...frontEnd.pids(), ...frontEnd.redisPids];
    for (let round = 0; round < rounds + 2; round += 1)
      for (let turn = 0; turn < names.length; turn += 1) {
        const place = (round + turn) % names.length;
        const name = names[place]!;
        const from = place * each + round * count;
        const before = cpuMs(pids);
        await load.call('sendBallots', { port, pollId: pollIds[name], from, to: from + count });
        if (round >= 2) used[name] += cpuMs(pids) - before;
      }
    return Object.entries(used).flatMap(([name, ms]) =>
      row(sceneOf(engine), name, [['server CPU', 'µs', (ms * 1_000) / (rounds * count)]]),
    );
  } finally {
    await end(load.child);
    await frontEnd.stop();
  }
}
