import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { distFile } from '../contender/locations.ts';
import { answers } from '../contender/probe.ts';
import { launchStaticServer, STATIC_SERVER } from '../contender/static-server.ts';
import { redisObstacle } from '../contender/tallycast.ts';
import { end, launch } from '../system/children.ts';
import { monotonicMs } from '../system/clock.ts';
import { type Bench, median, row } from './bench.ts';

const SCENE = 'to the first answer';
const ALLOWANCE_MS = 300;
const PATIENCE_MS = 15_000;
const withinAllowance = {
  metric: 'time',
  text: `within ${ALLOWANCE_MS} ms of the empty server`,
  isMet: ({ value, others }: { value: number; others: ReadonlyMap<string, number> }) =>
    value - (others.get(STATIC_SERVER) ?? Number.NaN) <= ALLOWANCE_MS,
};

export const start: Bench = {
  name: 'start',
  title: 'Start: from starting the process, both servers in it, to the first answer',
  control: STATIC_SERVER,
  targets: [
    { ...withinAllowance, contender: 'Tallycast, embedded engine' },
    { ...withinAllowance, contender: 'Tallycast on Redis' },
  ],
  async run({ quick, note, progress }) {
    const obstacle = redisObstacle();
    if (obstacle) note(`Tallycast on Redis: ${obstacle}`);
    const redis = obstacle ? undefined : await startRedisServer();
    const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-bench-'));
    const launchTallycast = (port: number, redisUrl: string) =>
      launch(process.execPath, [distFile('main.js')], {
        env: {
          ...process.env,
          PORT: `${port}`,
          VOTE_PORT: '0',
          DATA_DIR: dataDir,
          REDIS_URL: redisUrl,
          LOG_LEVEL: 'error',
        },
      });
    const starters: [string, (port: number) => ChildProcess][] = [
      [STATIC_SERVER, launchStaticServer],
      ['Tallycast, embedded engine', port => launchTallycast(port, '')],
    ];
    if (redis) starters.push(['Tallycast on Redis', port => launchTallycast(port, redis.url)]);
    try {
      const samples = [];
      for (const [contender, starter] of starters) {
        progress(contender);
        const times = [];
        for (let index = 0; index < (quick ? 1 : 5); index += 1) times.push(await measure(starter));
        samples.push(...row(SCENE, contender, [['time', 'ms', median(times)]]));
      }
      return samples;
    } finally {
      await redis?.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

async function measure(starter: (port: number) => ChildProcess): Promise<number> {
  const port = await findFreePort();
  const startMs = monotonicMs();
  const child = starter(port);
  try {
    if (!(await answers(port, PATIENCE_MS))) throw new Error('no answer');
    return monotonicMs() - startMs;
  } finally {
    // A clean end: the lock of the embedded engine goes with it.
    await end(child, 'SIGTERM');
  }
}
