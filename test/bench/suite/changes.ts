import { SAMPLE_POLL } from '../contender/sample-results.ts';
import { createPoll, startVotingFrontEnd } from '../contender/voting-front-end.ts';
import type { VoterCalls } from '../load/voter.process.ts';
import { end, startWorker } from '../system/children.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, type Context, row, type Sample } from './bench.ts';
import { EASY, ENGINES, type EngineName, onEach } from './verifiable.ts';

const FIRST = 'a first ballot';
const CHANGE = 'a change of it, without a second human check';
const ORDINARY = 'a ballot of a poll without changes';
const MOST = 1.3;
const ROUNDS = 6;
const BALLOTS = 300;
const sceneOf = (engine: EngineName) => `a poll with change_vote, ${engine}`;

/** What a change costs beside the ballot that it changes. */
export const changes: Bench = {
  name: 'changes',
  title: 'Changed votes: CPU of the voting front end, with all threads and Redis',
  control: FIRST,
  targets: ENGINES.map(engine => ({
    scene: sceneOf(engine),
    contender: CHANGE,
    metric: 'server CPU',
    text: `at most ${MOST} × that of a first ballot`,
    isMet: ({ ratio }) => ratio <= MOST,
  })),
  run: context => onEach(context, measureChanges),
};

/** CPU of all threads of the process, and of Redis. */
async function measureChanges(engine: EngineName, { quick }: Context): Promise<Sample[]> {
  const [rounds, count] = quick ? [2, 20] : [ROUNDS, BALLOTS];
  const frontEnd = await startVotingFrontEnd(engine === 'Redis' ? 'redis' : 'embedded', EASY);
  const load = startWorker<VoterCalls>('voter');
  try {
    const { port, relayPort } = frontEnd;
    const polls = [await createPoll(relayPort, { ...SAMPLE_POLL, change_vote: true }), frontEnd.pollId];
    // The first two rounds are the compiler's.
    const each = (rounds + 2) * count;
    for (const pollId of polls) await load.call('prepare', { port, pollId, count: each });
    const used = { [FIRST]: 0, [CHANGE]: 0, [ORDINARY]: 0 };
    const pids = [...frontEnd.pids(), ...frontEnd.redisPids];
    for (let round = 0; round < rounds + 2; round += 1) {
      const measure = async (name: keyof typeof used, place: number, call: 'sendBallots' | 'sendChanges') => {
        const from = place * each + round * count;
        const before = cpuMs(pids);
        await load.call(call, { port, pollId: polls[place]!, from, to: from + count });
        if (round >= 2) used[name] += cpuMs(pids) - before;
      };
      await measure(FIRST, 0, 'sendBallots');
      await measure(ORDINARY, 1, 'sendBallots');
      await measure(CHANGE, 0, 'sendChanges');
    }
    return Object.entries(used).flatMap(([name, ms]) =>
      row(sceneOf(engine), name, [['server CPU', 'µs', (ms * 1_000) / (rounds * count)]]),
    );
  } finally {
    await end(load.child);
    await frontEnd.stop();
  }
}
