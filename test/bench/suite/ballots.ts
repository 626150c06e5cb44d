import { startRedisServer } from '../../support/redis-server.ts';
import { redisObstacle } from '../contender/tallycast.ts';
import type { CasterCalls, Checks } from '../load/caster.process.ts';
import { usedMemory } from '../load/redis-wire.ts';
import type { WorkerProcess } from '../system/calls.ts';
import { end, startWorker } from '../system/children.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, row, type Sample } from './bench.ts';

const ARGUMENTS = 17;
const BARE = 'bare HINCRBY script';
/** What a ballot costs on its way, whatever is done with it: the same script, carrying as much as a ballot does. */
const BARE_WITH_ARGUMENTS = `the same with ${ARGUMENTS} arguments`;
const STRICT = 'castBallot, every check';
/** Proofs that the voter's mark does not spend: polls for accounts, tokens of other services. */
const PROOF = 'castBallot, every check, proofs marked';
/** No deadline, no name and no proof: voter and address are still checked, and the ballot is kept. */
const USUAL = 'castBallot, usual poll';
const MANY = 1_000;

export const ballots: Bench = {
  name: 'ballots',
  title: 'Ballots: one process casting, 512 under way',
  control: BARE,
  targets: [
    {
      scene: 'one hot poll',
      contender: STRICT,
      metric: 'ballots',
      text: 'at least 0.45 × the bare script',
      isMet: ({ ratio }) => ratio >= 0.45,
    },
    {
      scene: 'one hot poll',
      contender: STRICT,
      metric: 'ballots',
      text: 'at least 50,000 a second',
      isMet: ({ value }) => value >= 50_000,
    },
    {
      scene: 'one hot poll',
      contender: STRICT,
      metric: 'memory',
      text: 'at most 380 bytes of Redis a ballot',
      isMet: ({ value }) => value <= 380,
    },
  ],
  async run({ quick, note, progress }) {
    const obstacle = redisObstacle();
    if (obstacle) {
      note(obstacle);
      return [];
    }
    const ms = quick ? 500 : 4_000;
    const samples: Sample[] = [];
    for (const [scene, count] of [
      ['one hot poll', 1],
      [`${MANY} polls`, quick ? 50 : MANY],
    ] as const) {
      progress(scene);
      samples.push(
        ...(await measure(scene, BARE, caster => increment(caster, ms, count, 0))),
        ...(await measure(scene, BARE_WITH_ARGUMENTS, caster => increment(caster, ms, count, ARGUMENTS))),
        ...(await measure(scene, STRICT, caster => cast(caster, ms, count, 'every'))),
        ...(await measure(scene, PROOF, caster => cast(caster, ms, count, 'proof'))),
        ...(await measure(scene, USUAL, caster => cast(caster, ms, count, 'usual'))),
      );
    }
    return samples;
  },
};

type Caster = WorkerProcess<CasterCalls>;

function increment(caster: Caster, ms: number, keys: number, count: number) {
  const args = Array.from({ length: count }, (_, index) => `an argument of a ballot, ${index}`);
  return caster.call('incrementFor', { ms, keys, args });
}

async function cast(caster: Caster, ms: number, count: number, checks: Checks) {
  const targets = await caster.call('createPolls', { count, strict: checks !== 'usual' });
  return caster.call('castFor', { ms, targets, checks });
}

/** A Redis and a caster of their own for each figure: what one left behind must not slow the next. */
async function measure(
  scene: string,
  contender: string,
  act: (caster: Caster) => Promise<{ acts: number; failures: number; ms: number }>,
): Promise<Sample[]> {
  const redis = await startRedisServer();
  const caster = startWorker<CasterCalls>('caster');
  try {
    await caster.call('open', { redisUrl: redis.url });
    const pids = [redis.process.pid ?? 0];
    const isControl = contender === BARE || contender === BARE_WITH_ARGUMENTS;
    // The first second is the compiler's.
    await act(caster);
    const redisBefore = cpuMs(pids);
    const casterBefore = cpuMs([caster.pid]);
    const memoryBefore = await usedMemory(redis.port);
    const { acts, failures, ms } = await act(caster);
    const redisMs = cpuMs(pids) - redisBefore;
    const casterMs = cpuMs([caster.pid]) - casterBefore;
    if (failures > 0) throw new Error(`${contender}: ${failures} of ${acts + failures} failed`);
    return row(scene, contender, [
      ['ballots', '/s', acts / (ms / 1_000)],
      ['Redis CPU', 'µs', (redisMs * 1_000) / acts],
      ['caster CPU', 'µs', (casterMs * 1_000) / acts],
      ['memory', 'B', isControl ? Number.NaN : ((await usedMemory(redis.port)) - memoryBefore) / acts],
    ]);
  } finally {
    await end(caster.child);
    await redis.stop();
  }
}
