import { Redis } from 'ioredis';
import { OURS } from '../contender/contenders.ts';
import { nextBallot, openBenchEngine, type RunningRelay, startRelay } from '../contender/tallycast.ts';
import { Audience } from '../load/audience.ts';
import { monotonicMs } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, grouped, row } from './bench.ts';

const PATIENCE_MS = 20_000;
const SHOW = 'bench-evening';
/** Makes the polls tell apart by their versions. */
const BALLOTS = 10;

export const switches: Bench = {
  name: 'switches',
  title: 'A show switches: from the press of a button to the first message of the next poll',
  control: undefined,
  targets: [
    {
      contender: OURS,
      metric: 'all switched',
      text: 'all within 2 s',
      isMet: ({ value }) => value <= 2_000,
    },
  ],
  async run({ quick }) {
    const size = quick ? 200 : 2_000;
    const relay = await startRelay({ hz: 20 });
    const audience = new Audience({ ...relay.dial, path: `/api/show/${SHOW}/live?hz=20` }, size);
    try {
      const press = await prepare(relay);
      await audience.open(size);
      if ((await audience.reach(1, size, PATIENCE_MS)) === undefined) throw new Error('not everyone follows');
      const redis = new Redis(relay.redis!.url);
      const before = { cpu: cpuMs(relay.pids()), scripts: await scriptsOf(redis), atMs: monotonicMs() };
      await press();
      const lastMs = await audience.reach(1 + BALLOTS, size, PATIENCE_MS);
      const scripts = (await scriptsOf(redis)) - before.scripts;
      redis.disconnect();
      if (lastMs === undefined) throw new Error('not everyone has switched');
      return row(`${grouped(size)} followers`, OURS, [
        ['all switched', 'ms', lastMs - before.atMs],
        ['CPU each', 'µs', ((cpuMs(relay.pids()) - before.cpu) * 1_000) / size],
        ['reads of the engine', '', scripts],
      ]);
    } finally {
      await audience.leave();
      await relay.stop();
    }
  },
};

/** Two polls in a run-down, the first of them on air. @returns what puts the second one on air */
async function prepare(relay: RunningRelay): Promise<() => Promise<void>> {
  const ask = async (path: string, method: string, show: object, key = '') => {
    const reply = await fetch(`http://127.0.0.1:${relay.port}/api/show${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
      body: JSON.stringify({ show }),
    });
    if (!reply.ok) throw new Error(`${method} ${path} was answered with ${reply.status}`);
    return (await reply.json()) as { show_key: string };
  };
  const [quiet = ''] = await relay.createPolls(1);
  const engine = await openBenchEngine(relay.redis!.url);
  for (let cast = 0; cast < BALLOTS; cast += 1)
    await engine.castBallot(nextBallot(relay.pollId, relay.answerIds));
  await engine.close();
  const { show_key } = await ask('', 'POST', { name: SHOW });
  const rundown = [quiet, relay.pollId];
  await ask(`/${SHOW}`, 'PATCH', { rundown, on_air: quiet }, show_key);
  return async () => void (await ask(`/${SHOW}/next`, 'POST', {}, show_key));
}

/** Calls of scripts: each reading of a poll is one, and so is the change of the show. */
async function scriptsOf(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  return [...stats.matchAll(/cmdstat_evalsha(?:_ro)?:calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}
