import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { end, launch } from '../system/children.ts';
import { distFile } from './locations.ts';
import { answers } from './probe.ts';
import { SAMPLE_POLL } from './sample-results.ts';

export interface RunningFrontEnd {
  readonly port: number;
  readonly relayPort: number;
  readonly pollId: string;
  readonly pids: () => number[];
  /** Nothing with the embedded engine. */
  readonly redisPids: readonly number[];
  /** Starts the same front end on the same votes, with other settings. */
  restart(settings: NodeJS.ProcessEnv): Promise<void>;
  stop(): Promise<void>;
}

const START_PATIENCE_MS = 15_000;

/**
 * Relay and voting front end, without subscribers. The load stands where a proxy would, so that
 * each voter has an address.
 */
export async function startVotingFrontEnd(
  engine: 'redis' | 'embedded',
  settings: NodeJS.ProcessEnv,
  poll: object = SAMPLE_POLL,
): Promise<RunningFrontEnd> {
  const redis = engine === 'redis' ? await startRedisServer() : undefined;
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-bench-'));
  const [port, relayPort] = [await findFreePort(), await findFreePort()];
  const env = {
    ...process.env,
    PORT: `${relayPort}`,
    VOTE_PORT: `${port}`,
    VOTE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    // Pages of the load carry no cookie.
    NEWCOMERS_PER_SECOND: '1000000',
    REDIS_URL: redis?.url ?? '',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    TRUST_PROXY: '127.0.0.1',
  };
  const start = async (more: NodeJS.ProcessEnv) => {
    const profileDir = process.env['BENCH_PROFILE'];
    const profiling = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
    const started = launch(process.execPath, [...profiling, distFile('start/main.js')], {
      env: { ...env, ...more },
    });
    const areUp = await Promise.all([
      answers(port, START_PATIENCE_MS),
      answers(relayPort, START_PATIENCE_MS),
    ]);
    if (areUp.every(Boolean)) return started;
    await end(started, 'SIGTERM');
    throw new Error('the voting front end did not start (BENCH_DEBUG=1 shows why)');
  };
  let child = await start(settings);
  const stop = async () => {
    await end(child, 'SIGTERM');
    await redis?.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const pollId = await createPoll(relayPort, poll);
    return {
      port,
      relayPort,
      pollId,
      pids: () => [child.pid ?? 0],
      redisPids: redis ? [redis.process.pid ?? 0] : [],
      async restart(more) {
        await end(child, 'SIGTERM');
        child = await start(more);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function createPoll(relayPort: number, poll: object): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${relayPort}/api/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ poll }),
  });
  return ((await reply.json()) as { id: string }).id;
}
