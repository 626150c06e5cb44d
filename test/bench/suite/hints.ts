import { startRedisServer } from '../../support/redis-server.ts';
import { redisObstacle } from '../contender/tallycast.ts';
import type { CasterCalls } from '../load/caster.process.ts';
import { listen } from '../load/redis-wire.ts';
import { end, startWorker } from '../system/children.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, row, type Sample } from './bench.ts';

const NONE = 'no relay';
const MANY = '100 relays';
const AUDIENCES = [
  [NONE, 0],
  ['10 relays', 10],
  [MANY, 100],
] as const;
const SMALL = 'ballots in groups of 4';
const SCENES = [
  [SMALL, 4],
  ['ballots in groups of 100', 100],
] as const;

/** Ballots. The same for every row: Redis takes less for each of them the more there are. */
const PER_SECOND = 10_000;

/** What it costs Redis that relays hear of ballots. The relays are bare connections: what they do then is another bench. */
export const hints: Bench = {
  name: 'hints',
  title: 'Ballots of one poll, 10,000 a second, while relays listen',
  control: NONE,
  targets: [
    {
      scene: SMALL,
      contender: MANY,
      metric: 'Redis CPU',
      text: 'at most 1.15 × what it is without relays',
      isMet: ({ ratio }) => ratio <= 1.15,
    },
    {
      scene: SMALL,
      contender: MANY,
      metric: 'hints a relay',
      text: 'at most 40 a second and relay',
      isMet: ({ value }) => value <= 40,
    },
  ],
  async run({ quick, note, progress }) {
    const obstacle = redisObstacle();
    if (obstacle) {
      note(obstacle);
      return [];
    }
    const samples: Sample[] = [];
    for (const [scene, group] of SCENES) {
      progress(scene);
      for (const [contender, count] of AUDIENCES)
        samples.push(...(await measure(scene, contender, group, count, quick ? 500 : 4_000)));
    }
    return samples;
  },
};

async function measure(scene: string, contender: string, group: number, count: number, ms: number) {
  const redis = await startRedisServer();
  const caster = startWorker<CasterCalls>('caster');
  try {
    await caster.call('open', { redisUrl: redis.url });
    const [target] = await caster.call('createPolls', { count: 1, strict: true });
    if (!target) throw new Error('no poll');
    const listeners = await listen(redis.port, `tallycast:{${target.pollId}}:hints`, count);
    const pids = [redis.process.pid ?? 0];
    // The first second is the compiler's.
    await caster.call('castInGroups', { ms, target, group, perSecond: PER_SECOND });
    const heardBefore = listeners.heard;
    const before = cpuMs(pids);
    const cast = await caster.call('castInGroups', { ms, target, group, perSecond: PER_SECOND });
    const redisMs = cpuMs(pids) - before;
    const hintsEach = count === 0 ? Number.NaN : (listeners.heard - heardBefore) / count;
    listeners.close();
    if (cast.failures > 0) throw new Error(`${contender}: ${cast.failures} ballots failed`);
    return row(scene, contender, [
      ['ballots', '/s', cast.acts / (cast.ms / 1_000)],
      ['Redis CPU', 'µs', (redisMs * 1_000) / cast.acts],
      ['hints a relay', '/s', hintsEach / (cast.ms / 1_000)],
    ]);
  } finally {
    await end(caster.child);
    await redis.stop();
  }
}
